/**
 * Alerts whose source has fallen silent. Missing data never ends an alert: its source is lost, and people are told so.
 * Leases are times of the wall clock; when that is set, they are moved along, so that nobody seems lost who is not.
 */
import type { Transaction } from '#store'
import { timeOf } from './problem-row.ts'
import type { Problems } from './problems.ts'

const batch = 500
/** A clock that is off by less is only being adjusted. */
export const jumpMs = 10_000

/** Those whose lease has ended. */
export async function loseSilent(
  transaction: Transaction,
  problems: Problems,
  now: Date,
): Promise<{ more: boolean }> {
  const rows = await transaction
    .selectFrom('alert')
    .select(['id', 'problem_id'])
    .where('state', '=', 'firing')
    .where('lease_until', '<=', now.toISOString())
    .limit(batch)
    .execute()
  if (rows.length === 0) return { more: false }
  const ids = rows.map(({ id }) => id)
  await transaction.updateTable('alert').set({ state: 'source_lost' }).where('id', 'in', ids).execute()
  const touched = problems.touching(transaction, now)
  for (const { problem_id } of rows) await touched.lost(problem_id)
  await touched.settle()
  return { more: rows.length === batch }
}

/** We were not there to hear: whoever reported until we left gets one more lease. */
export async function afterAbsence(transaction: Transaction, now: Date, leaseMs: number): Promise<void> {
  const lease_until = timeOf(now.getTime() + leaseMs)
  await transaction
    .updateTable('alert')
    .set({ lease_until })
    .where('state', '=', 'firing')
    .where('lease_until', '<', lease_until)
    .execute()
}

/** The clock was set: forward, and every source gets its time anew; back, and nothing waits for a time long ago. */
export async function afterJump(transaction: Transaction, now: Date, leaseMs: number): Promise<void> {
  const at = now.toISOString()
  const lease_until = timeOf(now.getTime() + leaseMs)
  await transaction
    .updateTable('alert')
    .set({ lease_until })
    .where('state', '=', 'firing')
    .where('lease_until', 'is not', null)
    .execute()
  await transaction.updateTable('problem').set({ due_at: at }).where('due_at', '>', at).execute()
  await transaction.updateTable('delivery').set({ due_at: at }).where('due_at', '>', at).execute()
  await transaction
    .updateTable('channel')
    .set({ paused_until: null, leased_until: null })
    .where('paused_until', '>', at)
    .execute()
}
