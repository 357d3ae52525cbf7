/**
 * The statements that write what was seen. Each may be repeated: the newest word counts. Rows are written in batches of one size
 * or one by one, because a database remembers every statement that it was given, and each size is another.
 */
import type { Tables, Transaction } from '#store'
import type { Gap } from './gaps.ts'
import type { Row } from './ledger.ts'
import type { PeriodRow } from './period.ts'
import type { Seen } from './presence.ts'

const batchSize = 20

export async function putChanges(transaction: Transaction, changes: [string, Row][]): Promise<void> {
  const rows = changes.map(([service, row]) => changeRow(service, row))
  for (const batch of batchesOf(rows)) await insertChanges(transaction, batch)
}

export async function removeChange(transaction: Transaction, service: string, at: number): Promise<void> {
  await transaction.deleteFrom('service_change').where('service', '=', service).where('at', '=', at).execute()
}

export async function putPeriods(transaction: Transaction, periods: PeriodRow[]): Promise<void> {
  for (const batch of batchesOf(periods)) await insertPeriods(transaction, batch)
}

export async function putGap(transaction: Transaction, { from, to }: Gap): Promise<void> {
  await transaction
    .insertInto('observation_gap')
    .values({ started_at: from, ended_at: to })
    .onConflict(conflict => conflict.column('started_at').doUpdateSet({ ended_at: to }))
    .execute()
}

export async function removeGap(transaction: Transaction, from: number): Promise<void> {
  await transaction.deleteFrom('observation_gap').where('started_at', '=', from).execute()
}

export async function putSeen(transaction: Transaction, { since, until }: Seen): Promise<void> {
  await transaction
    .insertInto('observation')
    .values({ name: 'control', since, seen_until: until })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ since, seen_until: until }))
    .execute()
}

export async function removeService(transaction: Transaction, service: string): Promise<void> {
  await transaction.deleteFrom('service_change').where('service', '=', service).execute()
  await transaction.deleteFrom('service_period').where('service', '=', service).execute()
}

const insertChanges = (transaction: Transaction, rows: Tables['service_change'][]) =>
  transaction
    .insertInto('service_change')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['service', 'at']).doUpdateSet(({ ref }) => ({
        kind: ref('excluded.kind'),
        status: ref('excluded.status'),
        reason_code: ref('excluded.reason_code'),
        reason_message: ref('excluded.reason_message'),
        changes: ref('excluded.changes'),
        mixed_until: ref('excluded.mixed_until'),
        up_s: ref('excluded.up_s'),
        degraded_s: ref('excluded.degraded_s'),
        down_s: ref('excluded.down_s'),
        maintenance_s: ref('excluded.maintenance_s'),
      })),
    )
    .execute()

const insertPeriods = (transaction: Transaction, rows: PeriodRow[]) =>
  transaction
    .insertInto('service_period')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['period_s', 'slot', 'service']).doUpdateSet(({ ref }) => ({
        at: ref('excluded.at'),
        looks: ref('excluded.looks'),
        latency: ref('excluded.latency'),
        requests: ref('excluded.requests'),
        observed_s: ref('excluded.observed_s'),
        request_latency: ref('excluded.request_latency'),
        memory_bytes: ref('excluded.memory_bytes'),
        memory_max_bytes: ref('excluded.memory_max_bytes'),
      })),
    )
    .execute()

function batchesOf<T>(rows: readonly T[]): T[][] {
  const batches: T[][] = []
  for (let index = 0; index < rows.length; index += batches.at(-1)!.length) {
    const size = rows.length - index >= batchSize ? batchSize : 1
    batches.push(rows.slice(index, index + size))
  }
  return batches
}

function changeRow(service: string, { at, kind, status, reason, mixed }: Row): Tables['service_change'] {
  return {
    service,
    at,
    kind,
    status,
    reason_code: reason?.code ?? null,
    reason_message: reason?.message ?? null,
    changes: mixed?.changes ?? 1,
    mixed_until: mixed?.until ?? null,
    up_s: mixed?.up ?? 0,
    degraded_s: mixed?.degraded ?? 0,
    down_s: mixed?.down ?? 0,
    maintenance_s: mixed?.maintenance ?? 0,
  }
}
