/** Messages as they are stored: one row for each problem and channel, whatever is told of it. */
import type { Tables, Transaction } from '#store'
import type { ChannelRow } from './channel-row.ts'

export type DeliveryRow = Tables['delivery']

/** Channels for which something is due, that may be used and that nobody sends to. */
export const dueChannels = (transaction: Transaction, now: string, limit: number): Promise<ChannelRow[]> =>
  transaction
    .selectFrom('channel')
    .selectAll()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('delivery')
          .select('problem_id')
          .whereRef('delivery.channel_id', '=', 'channel.id')
          .where('delivery.due_at', '<=', now),
      ),
    )
    .where(({ or, eb }) => or([eb('paused_until', 'is', null), eb('paused_until', '<=', now)]))
    .where(({ or, eb }) => or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
    .limit(limit)
    .execute()

/** The next one of a channel that is due. */
export const nextDelivery = (
  transaction: Transaction,
  channelId: string,
  now: string,
): Promise<DeliveryRow | undefined> =>
  transaction
    .selectFrom('delivery')
    .selectAll()
    .where('channel_id', '=', channelId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('problem_id')
    .limit(1)
    .executeTakeFirst()

/** The earliest message of a channel that may be used, or the time from which it may; `busy` ones may not. */
export async function nextDue(transaction: Transaction, busy: ReadonlySet<string>): Promise<string | null> {
  const rows = await transaction
    .selectFrom('delivery')
    .innerJoin('channel', 'channel.id', 'delivery.channel_id')
    .select(({ fn }) => [
      'channel.id',
      fn.min('delivery.due_at').as('due_at'),
      'channel.paused_until',
      'channel.leased_until',
    ])
    .where('delivery.due_at', 'is not', null)
    .groupBy(['channel.id', 'channel.paused_until', 'channel.leased_until'])
    .execute()
  const times = rows
    .filter(({ id }) => !busy.has(id))
    .map(
      ({ due_at, paused_until, leased_until }) =>
        [due_at!, paused_until ?? '', leased_until ?? ''].toSorted().at(-1)!,
    )
  return times.toSorted()[0] ?? null
}

export async function updateDelivery(
  transaction: Transaction,
  { problem_id, channel_id }: DeliveryRow,
  change: Partial<DeliveryRow>,
): Promise<void> {
  await transaction
    .updateTable('delivery')
    .set(change)
    .where('problem_id', '=', problem_id)
    .where('channel_id', '=', channel_id)
    .execute()
}

/** What is over and was sent, and what could not be sent for so long that nobody wants to read it. */
export async function pruneDeliveries(transaction: Transaction, before: Date): Promise<void> {
  await transaction
    .deleteFrom('delivery')
    .where('problem_id', 'in', inner =>
      inner.selectFrom('problem').select('id').where('ended_at', '<', before.toISOString()),
    )
    .execute()
}
