/** A channel by its name. */
import { type Channel, operations } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { itemsOf } from '../pages.ts'

export const channelsOf = (api: Api): Promise<Channel[]> =>
  itemsOf(query => api.call(operations.listChannels, { query }))

export async function findChannel(api: Api, name: string): Promise<Channel> {
  const found = (await channelsOf(api)).find(channel => channel.name === name)
  if (found) return found
  throw new GuidedFault('not_found', `There is no channel ${name}.`, '`qd channel list` shows them.')
}
