/** Deals with one update of a chat, once: what it does and its number are one transaction. */
import type { ChannelSettings, TelegramSettings } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Alerts } from '../alerts.ts'
import { type ChannelRow, findChannel, updateChannel } from '../channel-row.ts'
import type { ChatAnswer } from './answer.ts'
import { pressed } from './buttons.ts'
import { commanded } from './commands.ts'
import type { ChatDeploys } from './deploys.ts'
import { type ChatUpdate, type ChatUser, chatOf, nameOf } from './update.ts'

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
  // Telegram tells again what it does not know to have arrived.
  if (!row || (row.update_id !== null && update.update_id <= row.update_id)) return undefined
  await updateChannel(transaction, row.id, { update_id: update.update_id })
  const settings: ChannelSettings = dealing.alerts.channels.settings(row)
  if (settings.kind !== 'telegram' || chatOf(update) !== settings.chat_id) return undefined
  return inChat(transaction, row, settings, update, dealing)
}

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
  if (press) return pressed(transaction, origin, text, { alerts, deploys, settings, now })
  return commanded(transaction, origin, text, { alerts, deploys, services, now })
}

const isAllowed = ({ users }: TelegramSettings, { id }: ChatUser) => users.includes(String(id))
