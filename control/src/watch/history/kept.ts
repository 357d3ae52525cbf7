/** Reads what is kept of all services, once, at the start. */
import { type ReasonCode, reasonCode, type ServiceStatus, serviceStatus } from '@quarterdeck/contract'
import type { Store, Tables, Transaction } from '#store'
import { type SpentKind, spentKinds } from '../time-spent.ts'
import type { Reason } from '../verdict.ts'
import type { Gap } from './gaps.ts'
import type { Row } from './ledger.ts'
import { levels, Period } from './period.ts'
import type { Seen } from './presence.ts'

export interface Kept {
  readonly seen: Seen | null
  readonly gaps: readonly Gap[]
  readonly rows: ReadonlyMap<string, Row[]>
  /** What had not ended when control was last seen, in parts. */
  readonly periods: ReadonlyMap<string, Period[]>
}

const [fiveMinutes, hours] = levels
const dayS = 86_400

export const readKept = (store: Store): Promise<Kept> =>
  store.read(async transaction => {
    const seen = await readSeen(transaction)
    return {
      seen,
      gaps: await readGaps(transaction),
      rows: await readRows(transaction),
      periods: seen ? await readPeriods(transaction, seen.until) : new Map(),
    }
  })

async function readSeen(transaction: Transaction): Promise<Seen | null> {
  const row = await transaction.selectFrom('observation').selectAll().executeTakeFirst()
  return row ? { since: row.since, until: row.seen_until } : null
}

async function readGaps(transaction: Transaction): Promise<Gap[]> {
  const rows = await transaction.selectFrom('observation_gap').selectAll().orderBy('started_at').execute()
  return rows.map(({ started_at, ended_at }) => ({ from: started_at, to: ended_at }))
}

async function readRows(transaction: Transaction): Promise<Map<string, Row[]>> {
  const all = new Map<string, Row[]>()
  const rows = transaction.selectFrom('service_change').selectAll().orderBy('service').orderBy('at')
  const reasons = new Map<string, Reason>()
  for await (const row of rows.stream(500)) listOf(all, row.service).push(rowOf(row, reasons))
  return all
}

/** An hour may have ended that was not stored as such, and with it a day. */
async function readPeriods(transaction: Transaction, until: number): Promise<Map<string, Period[]>> {
  const all = new Map<string, Period[]>()
  const hour = until - (until % hours.periodS) - hours.periodS
  for (const [{ periodS, kept }, from] of [
    [fiveMinutes, hour],
    [hours, hour - (hour % dayS)],
  ] as const) {
    for (let at = from; at <= until; at += periodS) {
      const rows = await transaction
        .selectFrom('service_period')
        .selectAll()
        .where('period_s', '=', periodS)
        .where('slot', '=', (at / periodS) % kept)
        .where('at', '=', at)
        .execute()
      for (const row of rows) listOf(all, row.service).push(Period.of(row))
    }
  }
  return all
}

function rowOf(row: Tables['service_change'], reasons: Map<string, Reason>): Row {
  const { at, mixed_until: until, changes, up_s, degraded_s, down_s, maintenance_s } = row
  const seconds = { up: up_s, degraded: degraded_s, down: down_s, maintenance: maintenance_s }
  return {
    at,
    kind: oneOf<SpentKind>(spentKinds, row.kind) ?? 'unknown',
    status: oneOf<ServiceStatus>(serviceStatus.options, row.status) ?? 'unknown',
    reason: reasonOf(row, reasons),
    mixed: until === null ? null : { until, changes, ...seconds },
  }
}

/** Most of them are alike, and then kept once. */
function reasonOf(row: Tables['service_change'], reasons: Map<string, Reason>): Reason | null {
  const code = oneOf<ReasonCode>(reasonCode.options, row.reason_code)
  if (!code) return null
  const message = row.reason_message ?? ''
  const reason = reasons.get(`${code} ${message}`) ?? { code, message }
  reasons.set(`${code} ${message}`, reason)
  return reason
}

/** The constant itself: of a thousand equal texts from the store, none is kept. */
const oneOf = <T extends string>(known: readonly T[], text: string | null): T | undefined =>
  known.find(each => each === text)

function listOf<T>(all: Map<string, T[]>, service: string): T[] {
  const list = all.get(service) ?? []
  if (list.length === 0) all.set(service, list)
  return list
}
