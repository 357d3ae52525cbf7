/** Deals with one update of a chat, once: what it does and its number are one transaction. */
import type { ChannelSettings, TelegramSettings } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Alerts } from '../alerts.ts'
import { type ChannelRow, findChannel, routesOf, updateChannel } from '../channel-row.ts'
import type { ChatAnswer } from './answer.ts'
import { pressed } from './buttons.ts'
import { commanded } from './commands.ts'
import type { ChatDeploys } from './deploys.ts'
import { type ChatUpdate, type ChatUser, chatOf, nameOf } from './update.ts'

const mostInADay = 100_000

export interface Dealing {
  events: Events
  clock: Clock
  alerts: Alerts
  deploys: ChatDeploys
  /** How the services are: all in one sentence first, then each that is not as it should be. */
  services(): readonly string[]
}

/** Undefined: there is nothing to say. */
export async function dealWith(
  transaction: Transaction,
  channelId: string,
  update: ChatUpdate,
  dealing: Dealing,
): Promise<ChatAnswer | undefined> {
  const row = await findChannel(transaction, channelId)
  if (!row || wasThere(row, update)) return undefined
  await updateChannel(transaction, row.id, { update_id: update.update_id })
  const settings: ChannelSettings = dealing.alerts.channels.settings(row)
  if (settings.kind !== 'telegram' || chatOf(update) !== settings.chat_id) return undefined
  return inChat(transaction, row, settings, update, dealing)
}

/**
 * Telegram tells again what it does not know to have arrived, for a day. A number that is further back than a day brings is
 * none of those: they have begun anew. https://core.telegram.org/bots/api#update
 */
const wasThere = ({ update_id: last }: ChannelRow, { update_id }: ChatUpdate) =>
  last !== null && update_id <= last && update_id > last - mostInADay

async function inChat(
  transaction: Transaction,
  channel: ChannelRow,
  settings: TelegramSettings,
  { message, callback_query: press }: ChatUpdate,
  { events, clock, alerts, deploys, services }: Dealing,
): Promise<ChatAnswer | undefined> {
  const user = press?.from ?? message?.from
  const text = press ? press.data : message?.text
  if (!user || text === undefined || (!press && !text.startsWith('/'))) return undefined
  const origin: Origin = { by: nameOf(user), from: null, requestId: null }
  if (!isAllowed(settings, user)) {
    const data = { channel: channel.name, user: String(user.id), asked: text.slice(0, 64) }
    await events.append(transaction, origin, { type: 'chat.refused', subject: `channel/${channel.id}`, data })
    return press ? { toast: 'You are not on the list of this channel: nothing was done.' } : undefined
  }
  const now = clock.now()
  if (press)
    return pressed(transaction, origin, text, { alerts, deploys, settings, channelId: channel.id, now })
  const { projects } = routesOf(channel)
  return commanded(transaction, origin, text, { alerts, deploys, services, projects, now })
}

const isAllowed = ({ users }: TelegramSettings, { id }: ChatUser) => users.includes(String(id))
