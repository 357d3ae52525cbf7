/** Telegram's Bot API for tests: a real HTTP server with its shapes, limits and errors. https://core.telegram.org/bots/api */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'

export interface ChatMessage {
  id: number
  chat: string
  /** As people see it. */
  text: string
  /** Every state that it was in. */
  history: string[]
  replyTo: number | undefined
  buttons: { text: string; callback_data?: string; url?: string }[]
}

interface Payload {
  chat_id?: string | number
  message_id?: number
  text?: string
  parse_mode?: string
  reply_parameters?: { message_id: number; allow_sending_without_reply?: boolean }
  reply_markup?: { inline_keyboard: ChatMessage['buttons'][] }
  offset?: number
  timeout?: number
  callback_query_id?: string
  url?: string
  secret_token?: string
  max_connections?: number
}

export interface Called {
  method: string
  payload: Payload
}

/** How a call goes wrong. drop: it is done, and the connection breaks before the answer. */
export type Trouble = { code: number; description: string; parameters?: object } | 'hang' | 'drop' | 'html'

class Refusal extends Error {
  readonly code: number
  readonly parameters: object | undefined

  constructor(code: number, description: string, parameters?: object) {
    super(description)
    this.code = code
    this.parameters = parameters
  }
}

export class TelegramUnderTest {
  readonly token = '123456789:AAsentinel-sentinel-sentinel-sentinel'
  readonly chat = '-1001234567890'
  readonly messages: ChatMessage[] = []
  readonly calls: Called[] = []
  readonly answered: { id: string; text: string }[] = []
  webhook: { url: string; secret_token: string; max_connections?: number | undefined } | undefined
  /** Asked for each call; undefined: it goes well. */
  trouble: (called: Called) => Trouble | undefined = () => undefined
  url = ''
  #nextMessage = 1
  #nextUpdate = 100
  #updates: { update_id: number }[] = []
  readonly #waiting = new Set<() => void>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  async start(): Promise<this> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** Somebody presses a button; the number of the update. */
  press(message: ChatMessage, data: string, user = 42, times = 1): number {
    const callback_query = {
      id: `press-${this.#nextUpdate}`,
      from: { id: user, username: `user${user}` },
      message: { message_id: message.id, chat: { id: Number(message.chat) } },
      data,
    }
    return this.#tell({ callback_query }, times)
  }

  say(text: string, user = 42, chat = this.chat): number {
    const from = { id: user, username: `user${user}` }
    return this.#tell({
      message: { message_id: this.#nextMessage++, chat: { id: Number(chat) }, from, text },
    })
  }

  /** After a week without updates their numbers begin anew, anywhere. */
  numberFrom(next: number): void {
    this.#nextUpdate = next
  }

  #tell(update: object, times = 1): number {
    const update_id = this.#nextUpdate++
    for (let i = 0; i < times; i++) this.#updates.push({ update_id, ...update })
    for (const wake of this.#waiting) wake()
    return update_id
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', method = ''] = request.url?.match(/^\/bot([^/]+)\/(\w+)$/) ?? []
    const payload = JSON.parse((await readText(request)) || '{}') as Payload
    const called = { method, payload }
    this.calls.push(called)
    const trouble = this.trouble(called)
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (trouble === 'hang') return
    if (trouble === 'html') return void response.writeHead(502).end('<html>Bad Gateway</html>')
    try {
      if (token !== this.token) throw new Refusal(401, 'Unauthorized')
      if (trouble && trouble !== 'drop')
        throw new Refusal(trouble.code, trouble.description, trouble.parameters)
      const result = await this.#call(method, payload)
      if (trouble === 'drop') request.socket.destroy()
      else send(200, { ok: true, result })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message, parameters } = error
      send(code, { ok: false, error_code: code, description: message, ...(parameters && { parameters }) })
    }
  }

  #call(method: string, payload: Payload): unknown {
    switch (method) {
      case 'sendMessage':
        return this.#send(payload)
      case 'editMessageText':
        return this.#edit(payload)
      case 'answerCallbackQuery':
        this.answered.push({ id: payload.callback_query_id ?? '', text: payload.text ?? '' })
        return true
      case 'setWebhook':
        this.webhook = {
          ...{ url: payload.url ?? '', secret_token: payload.secret_token ?? '' },
          max_connections: payload.max_connections,
        }
        return true
      case 'deleteWebhook':
        this.webhook = undefined
        return true
      case 'getUpdates':
        return this.#poll(payload)
      default:
        throw new Refusal(404, 'Not Found')
    }
  }

  #send(payload: Payload): object {
    const { text, buttons } = this.#checked(payload)
    const replyTo = payload.reply_parameters?.message_id
    const isThere = this.messages.some(({ id }) => id === replyTo)
    if (replyTo !== undefined && !isThere && !payload.reply_parameters?.allow_sending_without_reply)
      throw new Refusal(400, 'Bad Request: message to be replied not found')
    const message = { id: this.#nextMessage++, chat: this.chat, text, history: [text], replyTo, buttons }
    this.messages.push(message)
    return { message_id: message.id, chat: { id: Number(this.chat) }, date: 0, text }
  }

  #edit(payload: Payload): object {
    const message = this.messages.find(({ id }) => id === payload.message_id)
    if (!message) throw new Refusal(400, 'Bad Request: message to edit not found')
    const { text, buttons } = this.#checked(payload)
    if (text === message.text && JSON.stringify(buttons) === JSON.stringify(message.buttons))
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
      )
    Object.assign(message, { text, buttons })
    message.history.push(text)
    return { message_id: message.id, chat: { id: Number(this.chat) }, date: 0, text }
  }

  #checked({ chat_id, text: sent = '', parse_mode, reply_markup }: Payload) {
    if (String(chat_id) !== this.chat) throw new Refusal(400, 'Bad Request: chat not found')
    const text = parse_mode === 'HTML' ? visible(sent) : sent
    if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty')
    if (text.length > 4096) throw new Refusal(400, 'Bad Request: message is too long')
    const buttons = reply_markup?.inline_keyboard.flat() ?? []
    for (const { callback_data, url } of buttons) {
      if (callback_data !== undefined && Buffer.byteLength(callback_data) > 64)
        throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID')
      if (url !== undefined && !/^https?:\/\/[^/]+\.[a-z0-9]/.test(url))
        throw new Refusal(400, 'Bad Request: BUTTON_URL_INVALID')
    }
    return { text, buttons }
  }

  /** An offset confirms what lies before it; one that is far ahead confirms nothing, as the real server does. */
  async #poll({ offset: asked = 0, timeout = 0 }: Payload): Promise<object[]> {
    if (this.webhook)
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    const offset = asked > this.#nextUpdate + 10 ? 0 : asked
    const ready = () => this.#updates.filter(({ update_id }) => update_id >= offset)
    if (ready().length === 0 && timeout > 0) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, timeout * 1000)
        this.#waiting.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= offset)
    return this.#updates
  }
}

/** Reads markup as Telegram does: unknown tags, unclosed ones and bare < are refused. */
function visible(html: string): string {
  const open: string[] = []
  const text = html.replace(/<(\/?)([a-z]*)((?:\s+[a-z]+="[^"<>]*")*)\s*>|[<>]/g, (tag, close, name) => {
    if (!['b', 'i', 'u', 's', 'a', 'code', 'pre'].includes(name))
      throw new Refusal(400, `Bad Request: can't parse entities: Unsupported start tag "${tag}"`)
    if (!close) open.push(name)
    else if (open.pop() !== name)
      throw new Refusal(400, "Bad Request: can't parse entities: Unmatched end tag")
    return ''
  })
  if (open.length > 0) throw new Refusal(400, "Bad Request: can't parse entities: Can't find end tag")
  return text.replace(
    /&(lt|gt|quot|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name]!,
  )
}
