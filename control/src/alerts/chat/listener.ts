/** Listens to the chats of Telegram channels: one bot is asked by one caller, however many channels it serves. */
import { setTimeout as wait } from 'node:timers/promises'
import type { TelegramSettings } from '@quarterdeck/contract'
import type { Api } from 'grammy'
import type { Logger } from 'pino'
import type { Store } from '#store'
import { type ChannelRow, channelRows } from '../channel-row.ts'
import { telegramApi } from '../channels/telegram-api.ts'
import type { ChatAnswer } from './answer.ts'
import { type Dealing, dealWith } from './dealing.ts'
import { type ChatUpdate, chatOf, chatUpdate } from './update.ts'

const pollS = 25
const failedMs = 2000
const longestFailedMs = 60_000

export interface ListenerOptions extends Dealing {
  store: Store
  log: Logger
  /** Where Telegram sends updates of a channel. */
  webhookUrl(channelId: string): string
  webhookSecret(channelId: string): string
  /** For tests: how long an empty answer may take. */
  pollS?: number
}

interface Listened {
  readonly row: ChannelRow
  readonly settings: TelegramSettings
}

export class ChatListener {
  readonly #options: ListenerOptions

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Until `ended`; begins anew whenever channels change. */
  async run(ended: AbortSignal): Promise<void> {
    const { events, log } = this.#options
    while (!ended.aborted) {
      const changed = new AbortController()
      const stop = events.watch(['channel.created', 'channel.changed', 'channel.removed'], () =>
        changed.abort(),
      )
      const until = AbortSignal.any([ended, changed.signal])
      try {
        await Promise.all((await this.#bots()).map(channels => this.#listen(channels, until)))
        if (!until.aborted)
          await new Promise(resolve => until.addEventListener('abort', resolve, { once: true }))
      } catch (error) {
        log.error({ err: error }, 'chats could not be listened to; trying again')
        await wait(failedMs, undefined, { signal: ended }).catch(() => undefined)
      }
      stop()
    }
  }

  /** An update that came to a webhook. A bot has one, whichever of its chats it is about. */
  async receive(channelId: string, update: ChatUpdate): Promise<void> {
    const channels = (await this.#bots()).find(all => all.some(({ row }) => row.id === channelId))
    if (channels) await this.#deal(channels, update)
  }

  /** Channels by bot. One whose secrets cannot be read is listened to when they can. */
  async #bots(): Promise<Listened[][]> {
    const { store, alerts, log } = this.#options
    const rows = await store.read(channelRows)
    const listened = rows.flatMap((row): Listened[] => {
      if (row.kind !== 'telegram') return []
      try {
        const settings = alerts.channels.settings(row)
        return settings.kind === 'telegram' && settings.updates !== 'none' ? [{ row, settings }] : []
      } catch (error) {
        log.warn({ err: error, channel: row.name }, 'a chat cannot be listened to')
        return []
      }
    })
    return Object.values(
      Object.groupBy(listened, ({ settings }) => `${settings.token} ${settings.api_url}`),
    ) as Listened[][]
  }

  async #listen(channels: readonly Listened[], ended: AbortSignal): Promise<void> {
    const [{ row, settings }] = channels as [Listened]
    for (let pauseMs = failedMs; !ended.aborted; pauseMs = Math.min(pauseMs * 2, longestFailedMs)) {
      try {
        if (settings.updates === 'webhook') return await this.#announce(row.id, settings)
        await this.#poll(channels, ended)
      } catch (error) {
        if (ended.aborted) return
        // Its own text names the method alone: never the address, which holds the token.
        const { error_code, message } = error as { error_code?: number; message?: string }
        if (message?.includes('webhook is active')) await this.#withdraw(settings)
        this.#options.log.warn(
          { channel: row.name, error_code, problem: message },
          'Telegram cannot be asked for updates',
        )
        await wait(pauseMs, undefined, { signal: ended }).catch(() => undefined)
      }
    }
  }

  async #announce(id: string, settings: TelegramSettings): Promise<void> {
    const { webhookUrl, webhookSecret } = this.#options
    const api = await telegramApi(settings)
    await api.setWebhook(webhookUrl(id), {
      secret_token: webhookSecret(id),
      allowed_updates: ['message', 'callback_query'],
      // One after the other: what comes late would be taken for what was there before.
      max_connections: 1,
    })
  }

  /** It was set before: while it is, nobody can ask. */
  async #withdraw(settings: TelegramSettings): Promise<void> {
    await (await telegramApi(settings)).deleteWebhook().catch(() => undefined)
  }

  async #poll(channels: readonly Listened[], ended: AbortSignal): Promise<void> {
    const { settings } = channels[0]!
    const timeout = this.#options.pollS ?? pollS
    const api = await telegramApi(settings, (timeout + 10) * 1000)
    // Only to confirm what was dealt with: their numbers begin anew after a quiet week, and with another bot.
    let last: number | undefined
    while (!ended.aborted) {
      const offset = last === undefined ? {} : { offset: last + 1 }
      const updates = await api.getUpdates(
        { ...offset, timeout, allowed_updates: ['message', 'callback_query'] },
        ended as never,
      )
      for (const raw of updates) {
        const update = chatUpdate.safeParse(raw)
        if (update.success) await this.#deal(channels, update.data)
      }
      last = updates.at(-1)?.update_id
    }
  }

  async #deal(channels: readonly Listened[], update: ChatUpdate): Promise<void> {
    const { store, log } = this.#options
    const chat = chatOf(update)
    const listened = channels.find(({ settings }) => settings.chat_id === chat)
    if (!listened) return
    const { row, settings } = listened
    const answer = await store.write(transaction => dealWith(transaction, row.id, update, this.#options))
    answer?.afterwards?.()
    await say(await telegramApi(settings), settings, update, answer).catch(error =>
      log.warn(
        { channel: row.name, problem: (error as Error).message },
        'an answer in a chat could not be given',
      ),
    )
  }
}

/** A press is always answered, or the button goes on turning. */
async function say(
  api: Api,
  { chat_id, thread_id }: TelegramSettings,
  { callback_query: press, message }: ChatUpdate,
  answer: ChatAnswer | undefined,
): Promise<void> {
  if (press) await api.answerCallbackQuery(press.id, { text: answer?.toast ?? '' })
  if (!answer?.html) return
  const replyTo = message?.message_id ?? press?.message?.message_id
  await api.sendMessage(chat_id, answer.html, {
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(thread_id !== null && { message_thread_id: thread_id }),
    ...(replyTo !== undefined && {
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    }),
    ...(answer.buttons && { reply_markup: { inline_keyboard: answer.buttons as never } }),
  })
}
