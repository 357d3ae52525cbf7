/** A problem as it is now becomes a notice. */
import { type Severity, serviceDown } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { type AlertRow, alertsOf } from './alert-row.ts'
import { clean, cleanLink } from './clean.ts'
import type { Labels } from './labels.ts'
import { inhibited } from './muting.ts'
import type { Notice, NoticeAlert, NoticeState } from './notice.ts'
import { type OpenAlerts, openAlerts, type ProblemRow } from './problem-row.ts'
import type { Telling } from './problem-state.ts'
import type { Surroundings } from './settings.ts'

/** Nobody reads more in a chat; the rest is counted. */
const mostAlerts = 30
const longestText = 400
const mostChildren = 20

export interface Composing {
  surroundings: Surroundings
  /** Of the panel. */
  adminUrl: string
  now: Date
}

export async function compose(
  transaction: Transaction,
  problem: ProblemRow,
  telling: Telling | null,
  { surroundings, adminUrl, now }: Composing,
): Promise<Notice> {
  const { service } = problem
  const counts = await openAlerts(transaction, problem.id)
  const rows = await alertsOf(transaction, problem.id, mostAlerts)
  const shown = rows.filter(row => counts.open === 0 || row.open_key !== null)
  const alerts = shown.map(noticeAlert)
  const context = service === null ? undefined : await surroundings.context(transaction, service)
  const first = alerts[0]
  const firstStart = shown.map(({ starts_at }) => starts_at).toSorted()[0] ?? problem.opened_at
  const outage =
    service === null || first?.labels.alertname !== serviceDown.alert
      ? undefined
      : await surroundings.outageAt(transaction, service, new Date(firstStart))
  const runbook = first?.annotations.runbook_url ?? first?.annotations.runbook ?? context?.runbook
  const groupLabels = cleanLabels(JSON.parse(problem.group_labels) as Labels)
  return {
    problemId: problem.id,
    version: problem.version,
    telling,
    state: stateOf(problem, counts),
    test: alerts.some(({ labels }) => labels.drill === 'true'),
    severity: problem.severity as Severity,
    title: titleOf(alerts, groupLabels, counts.open),
    reason: reasonOf(alerts) ?? (outage?.reason ? clean(outage.reason, longestText) : null),
    groupKey: problem.group_key,
    groupLabels,
    // A rule waits before it fires: whoever is woken wants to know since when it is down.
    since: outage?.since ?? firstStart,
    endedAt: problem.ended_at,
    at: now.toISOString(),
    alerts,
    more: Math.max(counts.open - alerts.length, 0),
    open: counts.open,
    acknowledgedBy: counts.open > 0 && counts.unacknowledged === 0 ? (first?.acknowledgedBy ?? null) : null,
    service,
    deploy: context?.deploy ?? null,
    alsoDown: counts.open > 0 && service !== null ? await alsoDown(transaction, service) : [],
    links: {
      status: context?.page ?? null,
      panel: `${adminUrl}/alerts/${problem.id}`,
      runbook: cleanLink(runbook),
      source: cleanLink(first?.generatorUrl),
    },
  }
}

function stateOf({ state, muted }: ProblemRow, { open, lost, unacknowledged }: OpenAlerts): NoticeState {
  if (state === 'notice' || state === 'resolved') return state
  if (muted === 'silenced' || muted === 'maintenance') return muted
  if (open > 0 && unacknowledged === 0) return 'acknowledged'
  return open > 0 && lost === open ? 'source_lost' : 'firing'
}

const noticeAlert = (row: AlertRow): NoticeAlert => ({
  id: row.id,
  fingerprint: row.fingerprint,
  state: row.state as NoticeAlert['state'],
  severity: row.severity as Severity,
  labels: cleanLabels(JSON.parse(row.labels) as Labels),
  annotations: cleanLabels(JSON.parse(row.annotations) as Labels),
  startsAt: row.starts_at,
  endedAt: row.ended_at,
  generatorUrl: cleanLink(row.generator_url) ?? '',
  acknowledgedBy: row.acknowledged_by === null ? null : clean(row.acknowledged_by.replace(/\/\d+$/, ''), 100),
})

const cleanLabels = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [clean(name, 100), clean(value, longestText)]),
  )

/** What they all say, or by what they belong together. */
function titleOf(
  alerts: readonly NoticeAlert[],
  { alertname, job, ...others }: Labels,
  open: number,
): string {
  const summaries = new Set(alerts.map(({ annotations }) => annotations.summary))
  const [summary] = summaries
  const said = summaries.size === 1 && summary ? summary : undefined
  const about = [job, ...Object.values(others)].filter(Boolean).join(', ')
  const name = alertname ?? (open > 1 ? 'Many alerts at once' : alerts[0]?.labels.alertname)
  const named = [name ?? 'Alert', about].filter(Boolean).join(': ')
  return open > 1 ? `${said ?? named} (${open} alerts)` : (said ?? named)
}

function reasonOf(alerts: readonly NoticeAlert[]): string | null {
  const reasons = alerts.map(({ labels, annotations }) => annotations.reason ?? labels.reason)
  return [...new Set(reasons.filter(reason => reason))].join(', ') || null
}

/** What is kept quiet for its sake, and whatever else is critical at this moment. */
async function alsoDown(transaction: Transaction, service: string): Promise<string[]> {
  const rows = await transaction
    .selectFrom('problem')
    .select('service')
    .distinct()
    .where('state', '=', 'open')
    .where('service', '!=', service)
    .where(({ eb, or }) => or([eb('severity', '=', 'critical'), eb('muted', '=', `${inhibited}${service}`)]))
    .orderBy('service')
    .limit(mostChildren)
    .execute()
  return rows.flatMap(({ service }) => service ?? [])
}
