/** The Bot API by grammY, over our own way out; and what its errors mean for a message. */
import type { Api, GrammyError } from 'grammy'
import { again, never, type Outcome } from './channel.ts'
import { ask, longestWaitMs, unreachable } from './outgoing.ts'

export const telegramName = 'Telegram'
const limitMs = 15_000

export interface TelegramAccess {
  readonly token: string
  readonly api_url: string
}

/** Loaded when the first such channel is used: most environments have other channels, or none. */
export async function telegramApi({ token, api_url }: TelegramAccess, askMs = limitMs): Promise<Api> {
  const { Api } = await import('grammy')
  return new Api(token, {
    apiRoot: api_url.replace(/\/+$/, ''),
    timeoutSeconds: Math.ceil(askMs / 1000) + 5,
    fetch: ((url: string, init: { body: string; headers: Record<string, string>; signal: AbortSignal }) =>
      outgoing(url, init, askMs)) as unknown as typeof fetch,
  })
}

async function outgoing(
  url: string,
  { body, headers, signal }: { body: string; headers: Record<string, string>; signal: AbortSignal },
  askMs: number,
): Promise<Response> {
  // grammY brings its own kind of signal, which the platform's do not take.
  const ended = new AbortController()
  signal.addEventListener('abort', () => ended.abort())
  const { status, text } = await ask(url, {
    headers: { ...headers },
    body,
    limitMs: askMs,
    ended: ended.signal,
  })
  // A proxy in between may answer something else.
  const json = text.startsWith('{')
    ? text
    : JSON.stringify({ ok: false, error_code: status, description: 'no answer of the Bot API' })
  return new Response(json, { status: 200 })
}

/** https://core.telegram.org/bots/api#making-requests */
export function telegramOutcome(error: unknown, ids: readonly string[]): Outcome {
  const { error_code: code, description = '', parameters } = error as Partial<GrammyError>
  if (code === undefined) return { ...unreachable(causeOf(error), telegramName), ids } as Outcome
  const answered = `${telegramName} answered ${code}`
  if (code === 429) {
    const afterMs = Math.min((parameters?.retry_after ?? 1) * 1000, longestWaitMs)
    return again(`${answered}: too many messages.`, { afterMs, ids })
  }
  if (code >= 500 || code < 400) return again(`${answered}.`, { ids })
  if (code === 401 || code === 404)
    return again(`${answered}: the bot’s token is wrong or was revoked.`, { lasting: true, ids })
  if (code === 403)
    return again(`${answered}: the bot was blocked or removed from the chat.`, { lasting: true, ids })
  if (
    /chat not found|not enough rights|need administrator|CHAT_WRITE_FORBIDDEN|message thread not found|TOPIC_/i.test(
      description,
    )
  )
    return again(`${answered}: the bot cannot write to the chat, or to its topic.`, { lasting: true, ids })
  if (/message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i.test(description))
    return { what: 'gone', problem: `${answered}: the message cannot be changed any more.` }
  return never(`${answered}: it does not take the message.`)
}

/** What is ours is inside of what grammY throws, whose own text names the method alone. */
const causeOf = (error: unknown): unknown => (error as { error?: unknown }).error ?? error

export const isUnchanged = (error: unknown): boolean =>
  /message is not modified/i.test((error as Partial<GrammyError>).description ?? '')

/** The service cannot read our markup, or does not like a link of a button. */
export const isUnreadable = (error: unknown): boolean =>
  /can't parse entities|BUTTON_URL_INVALID|wrong HTTP URL|BUTTON_DATA_INVALID/i.test(
    (error as Partial<GrammyError>).description ?? '',
  )

/** A group that became a supergroup has another number. */
export const movedTo = (error: unknown): number | undefined =>
  (error as Partial<GrammyError>).parameters?.migrate_to_chat_id
