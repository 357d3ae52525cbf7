/** Whether messages reach the channels, for control's own status. Everybody reads that: no channel is named. */
import type { Transaction } from '#store'
import type { Known } from '#watch'
import { channelSource } from './channel-alert.ts'

/** Null: nothing has ever gone wrong. */
export async function messagesArrive(transaction: Transaction): Promise<Known | null> {
  const { failing, since, ended } = await transaction
    .selectFrom('alert')
    .select(({ fn, eb }) => [
      fn.count('open_key').as('failing'),
      fn.min(eb.case().when('open_key', 'is not', null).then(eb.ref('starts_at')).end()).as('since'),
      fn.max('ended_at').as('ended'),
    ])
    .where('source', '=', channelSource.name)
    .executeTakeFirstOrThrow()
  if (since !== null)
    return { since: secondOf(since), reason: reasonOf(Number(failing), await channels(transaction)) }
  return ended === null ? null : { since: secondOf(ended), reason: null }
}

const reasonOf = (failing: number, all: number) => ({
  code: 'connect' as const,
  message:
    failing < all
      ? `Messages about alerts do not reach ${failing} of ${all} channels.`
      : 'Messages about alerts reach nobody.',
})

async function channels(transaction: Transaction): Promise<number> {
  const { count } = await transaction
    .selectFrom('channel')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const secondOf = (time: string) => Math.floor(Date.parse(time) / 1000)
