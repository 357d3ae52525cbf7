/** The outage that a service was in at a moment, from its changes: how long before an alert it really began, and why. */
import type { Transaction } from '#store'

export interface Outage {
  readonly since: string
  /** Such as `connect: Nothing takes the connection.` */
  readonly reason: string | null
}

export async function outageAt(
  transaction: Transaction,
  service: string,
  at: Date,
): Promise<Outage | undefined> {
  const row = await transaction
    .selectFrom('service_change')
    .select(['at', 'mixed_until', 'kind', 'reason_code', 'reason_message'])
    .where('service', '=', service)
    .where('at', '<=', Math.floor(at.getTime() / 1000))
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row?.kind !== 'down') return undefined
  const reason = [row.reason_code, row.reason_message].filter(Boolean).join(': ')
  return { since: new Date((row.mixed_until ?? row.at) * 1000).toISOString(), reason: reason || null }
}
