/** Channels as they are stored. */
import type { ChannelRoutes } from '@quarterdeck/contract'
import type { Tables, Transaction } from '#store'

export type ChannelRow = Tables['channel']

export type NamedChannel = Pick<ChannelRow, 'id' | 'name'>

/** Of one with which nothing is wrong, as far as is known. */
export const unfailing = { problem: null, failing_since: null, tries: 0, paused_until: null }

export const routesOf = ({ routes }: ChannelRow): ChannelRoutes => JSON.parse(routes) as ChannelRoutes

export const channelRows = (transaction: Transaction): Promise<ChannelRow[]> =>
  transaction.selectFrom('channel').selectAll().orderBy('name').execute()

export const findChannel = (transaction: Transaction, id: string): Promise<ChannelRow | undefined> =>
  transaction.selectFrom('channel').selectAll().where('id', '=', id).executeTakeFirst()

export async function updateChannel(
  transaction: Transaction,
  id: string,
  change: Partial<ChannelRow>,
): Promise<void> {
  await transaction.updateTable('channel').set(change).where('id', '=', id).execute()
}
