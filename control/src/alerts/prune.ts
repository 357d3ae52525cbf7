/** Drops problems that ended long ago, with their alerts and messages. */
import type { Transaction } from '#store'
import { pruneDeliveries } from './delivery-row.ts'
import { pruneSilences } from './silences.ts'

export async function pruneAlerts(transaction: Transaction, before: Date): Promise<void> {
  const at = before.toISOString()
  await pruneDeliveries(transaction, before)
  await pruneSilences(transaction, before)
  await transaction.deleteFrom('alert').where('ended_at', '<', at).execute()
  await transaction.deleteFrom('problem').where('ended_at', '<', at).execute()
}
