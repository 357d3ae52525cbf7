/**
 * The one door that alerts come in by, whoever reports them. The same labels are the same alert; what is reported again
 * counts for longer; what is reported with an end that has passed is over.
 */
import { randomUUIDv7 } from 'node:crypto'
import type { PostedAlert } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { endAlerts, extendLease, insertAlert, openByFingerprint, reportAgain } from './alert-row.ts'
import {
  fingerprintOf,
  keptAnnotations,
  keptLabels,
  rankOfSeverity,
  serviceOf,
  severityOf,
} from './labels.ts'
import type { Problems } from './problems.ts'

/** What is reported: as Alertmanager takes it. */
export type Reported = PostedAlert

export interface Source {
  readonly name: string
  /** How long what it reports without an end counts; null: until it tells the end, which it does for certain. */
  readonly leaseMs: number | null
}

/** A report may give any time; nobody is believed for longer than this. */
const longestLeaseMs = 24 * 3_600_000

export interface Taken {
  readonly started: number
  readonly ended: number
}

export async function take(
  transaction: Transaction,
  problems: Problems,
  source: Source,
  alerts: readonly Reported[],
  now: Date,
): Promise<Taken> {
  const reports = new Map<string, Report>()
  for (const alert of alerts) {
    const report = reportOf(alert, source, now.getTime())
    reports.set(report.fingerprint, report)
  }
  const known = await openByFingerprint(transaction, [...reports.keys()])
  const touched = problems.touching(transaction, now)
  const leases = new Map<string, string[]>()
  const ended: Ending[] = []
  let started = 0
  for (const report of reports.values()) {
    const open = known.get(report.fingerprint)
    if (!open && report.endedAt !== null) continue
    if (!open) {
      await begin(transaction, report, source, touched)
      started++
    } else if (report.endedAt !== null) {
      ended.push({ id: open.id, problemId: open.problem_id, endedAt: report.endedAt })
    } else if (open.state === 'firing' && open.annotations === report.annotations) {
      if (report.leaseUntil !== null) push(leases, report.leaseUntil, report.fingerprint)
    } else {
      await reportAgain(transaction, open.id, report)
      touched.changed(open.problem_id)
    }
  }
  for (const [leaseUntil, fingerprints] of leases) await extendLease(transaction, fingerprints, leaseUntil)
  await endAlerts(transaction, ended)
  for (const { problemId } of ended) touched.changed(problemId)
  await touched.settle()
  return { started, ended: ended.length }
}

interface Ending {
  id: string
  problemId: string
  endedAt: string
}

interface Report {
  readonly fingerprint: string
  readonly alert: Reported
  readonly annotations: string
  readonly startsAt: string
  readonly leaseUntil: string | null
  /** Null: it goes on. */
  readonly endedAt: string | null
}

function reportOf(alert: Reported, { leaseMs }: Source, nowMs: number): Report {
  const startsMs = Math.min(timeIn(alert.startsAt) ?? nowMs, nowMs)
  const endsMs = timeIn(alert.endsAt)
  const isOver = endsMs !== undefined && endsMs <= nowMs
  const leaseMost = Math.min(endsMs ?? nowMs + (leaseMs ?? 0), nowMs + longestLeaseMs)
  return {
    fingerprint: fingerprintOf(alert.labels),
    alert,
    annotations: JSON.stringify(keptAnnotations(alert.annotations)),
    startsAt: new Date(startsMs).toISOString(),
    leaseUntil: isOver || leaseMs === null ? null : new Date(leaseMost).toISOString(),
    endedAt: isOver ? new Date(Math.max(endsMs, startsMs)).toISOString() : null,
  }
}

/** Year 1 stands for none. */
function timeIn(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text)
  return ms > 0 ? ms : undefined
}

async function begin(
  transaction: Transaction,
  report: Report,
  source: Source,
  touched: ReturnType<Problems['touching']>,
): Promise<void> {
  const { alert, fingerprint, annotations, startsAt, leaseUntil } = report
  const severity = severityOf(alert.labels)
  const service = serviceOf(alert.labels)
  const problem = await touched.problemFor(alert.labels, severity, service)
  await insertAlert(transaction, {
    id: randomUUIDv7(),
    fingerprint,
    open_key: fingerprint,
    problem_id: problem,
    state: 'firing',
    severity,
    severity_rank: rankOfSeverity(severity),
    service,
    labels: JSON.stringify(keptLabels(alert.labels)),
    annotations,
    source: source.name,
    generator_url: alert.generatorURL?.slice(0, 2000).replaceAll('\0', '').toWellFormed() ?? null,
    starts_at: startsAt,
    lease_until: leaseUntil,
    ended_at: null,
    acknowledged_at: null,
    acknowledged_by: null,
  })
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
