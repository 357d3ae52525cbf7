/** Telegram: one message per problem, changed as the problem changes; a reply where somebody should look. */
import type { TelegramSettings } from '@quarterdeck/contract'
import type { Api } from 'grammy'
import type { Notice } from '../notice.ts'
import { callText } from '../notice-text.ts'
import { type Channel, type Outcome, sent } from './channel.ts'
import { isUnchanged, isUnreadable, movedTo, telegramApi, telegramOutcome } from './telegram-api.ts'
import { buttonsOf, escapeHtml, partsOf, plainOf } from './telegram-text.ts'

/** In place of a part that is no longer needed. */
const emptyPart = '⋯'

export function telegram(settings: TelegramSettings): Channel {
  const conversation = new Conversation(settings)
  return {
    flags: { edits: true, every_change: true },
    place: `chat ${settings.chat_id}`,
    show: (ids, notice, ended) => conversation.show(ids, notice, ended),
    reply: (ids, notice, ended) => conversation.reply(ids, notice, ended),
  }
}

type Markup = { reply_markup?: { inline_keyboard: never[][] } }

class Conversation {
  readonly #settings: TelegramSettings
  #chat: string | number
  #api: Promise<Api> | undefined

  constructor(settings: TelegramSettings) {
    this.#settings = settings
    this.#chat = settings.chat_id
  }

  async show(ids: readonly string[], notice: Notice, ended: AbortSignal): Promise<Outcome> {
    const parts = partsOf(notice)
    while (parts.length < ids.length) parts.push(emptyPart)
    const known = [...ids]
    try {
      for (const [index, text] of parts.entries()) {
        const markup = index === 0 ? this.#markup(notice) : {}
        const id = known[index]
        if (id === undefined) known.push(await this.#send(text, markup, ended, known[0]))
        else await this.#edit(Number(id), text, markup, ended)
      }
      return sent(known)
    } catch (error) {
      return telegramOutcome(error, known)
    }
  }

  async reply(ids: readonly string[], notice: Notice, ended: AbortSignal): Promise<Outcome> {
    try {
      await this.#send(escapeHtml(callText(notice)), {}, ended, ids[0])
      return sent(ids)
    } catch (error) {
      return telegramOutcome(error, ids)
    }
  }

  #markup(notice: Notice): Markup {
    // An empty one takes away what was there.
    return { reply_markup: { inline_keyboard: buttonsOf(notice, this.#settings) as never[][] } }
  }

  async #send(text: string, markup: Markup, ended: AbortSignal, replyTo?: string): Promise<string> {
    const { thread_id } = this.#settings
    const options = {
      ...(thread_id !== null && { message_thread_id: thread_id }),
      ...(replyTo !== undefined && {
        reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
      }),
      link_preview_options: { is_disabled: true },
    }
    const message = await this.#readable(text, markup, async (body, more) =>
      (await this.#bot()).sendMessage(this.#chat, body, { ...options, ...more }, ended as never),
    )
    return String(message.message_id)
  }

  async #edit(id: number, text: string, markup: Markup, ended: AbortSignal): Promise<void> {
    const options = { link_preview_options: { is_disabled: true } }
    try {
      await this.#readable(text, markup, async (body, more) =>
        (await this.#bot()).editMessageText(this.#chat, id, body, { ...options, ...more }, ended as never),
      )
    } catch (error) {
      // It was changed before we died, or is as it should be anyway.
      if (!isUnchanged(error)) throw error
    }
  }

  /** Never silent: what cannot be read with markup is sent without; a chat that has moved is followed. */
  async #readable<T>(
    text: string,
    markup: Markup,
    call: (text: string, more: Markup & { parse_mode?: 'HTML' }) => Promise<T>,
  ): Promise<T> {
    try {
      return await call(text, { ...markup, parse_mode: 'HTML' })
    } catch (error) {
      const moved = movedTo(error)
      if (moved !== undefined) this.#chat = moved
      else if (!isUnreadable(error)) throw error
      return moved === undefined ? call(plainOf(text), {}) : call(text, { ...markup, parse_mode: 'HTML' })
    }
  }

  #bot(): Promise<Api> {
    this.#api ??= telegramApi(this.#settings)
    return this.#api
  }
}
