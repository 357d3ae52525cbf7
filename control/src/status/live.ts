/**
 * /events: what is different, to everybody who listens, as server-sent events. Each event is written once and sent as it is;
 * whoever reads slower than it comes is let go, and comes back with the id of what it saw last.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Servable } from '#http'

/** What piles up for a reader at most. */
const mostWaitingBytes = 256 * 1024
const mostReaders = 20_000
/** That can be told again. */
const keptEvents = 500
const keptBytes = 1024 * 1024
const heartbeatMs = 15_000
const retryMs = 2000

interface Told {
  readonly number: number
  readonly bytes: Buffer
}

export class Live {
  readonly #readers = new Set<ServerResponse>()
  readonly #kept: Told[] = []
  #keptBytes = 0
  /** Numbers count from the start of this process. */
  readonly #life = randomBytes(6).toString('base64url')
  #number = 0
  #heartbeat: NodeJS.Timeout | undefined

  get readers(): number {
    return this.#readers.size
  }

  /** Of what was told last: who begins here misses nothing. */
  get place(): string {
    return `${this.#life}.${this.#number}`
  }

  tell(event: 'services' | 'notices', data: unknown): void {
    this.#number++
    const bytes = Buffer.from(`id: ${this.place}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    this.#kept.push({ number: this.#number, bytes })
    this.#keptBytes += bytes.length
    while (this.#kept.length > keptEvents || this.#keptBytes > keptBytes)
      this.#keptBytes -= this.#kept.shift()!.bytes.length
    this.#send(bytes)
  }

  /** More has changed than is worth telling: everybody reads everything anew. */
  reset(): void {
    this.#number++
    this.#kept.length = 0
    this.#keptBytes = 0
    this.#send(this.#anew())
  }

  /** `after`: the place that a page was made at; a reader that comes back says it in Last-Event-ID. */
  from(after: string | null): Servable {
    return { serve: (request, response) => this.#serve(request, response, after) }
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const reader of this.#readers) reader.end()
  }

  #serve(request: IncomingMessage, response: ServerResponse, after: string | null): void {
    if (this.#readers.size >= mostReaders) {
      response.writeHead(503, { 'retry-after': '10', 'cache-control': 'no-store' }).end()
      return
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    const { 'last-event-id': last = after ?? undefined } = request.headers
    response.write(`retry: ${retryMs}\n\n`)
    for (const bytes of this.#since(`${last ?? ''}`)) response.write(bytes)
    this.#readers.add(response)
    response.once('close', () => this.#readers.delete(response))
    response.on('error', () => undefined)
    this.#heartbeat ??= setInterval(() => this.#send(Buffer.from(':\n\n')), heartbeatMs).unref()
  }

  /** What came since, or that it is not known any more: then everything may be different. */
  #since(last: string): Buffer[] {
    const [life, number = ''] = last.split('.')
    const seen = life === this.#life && /^\d{1,15}$/.test(number) ? Number(number) : undefined
    const missed = this.#kept.filter(told => told.number > (seen ?? this.#number))
    const isWhole = seen !== undefined && seen <= this.#number && this.#number - seen === missed.length
    if (last === '' || isWhole) return missed.map(({ bytes }) => bytes)
    return [this.#anew()]
  }

  #anew = (): Buffer => Buffer.from(`id: ${this.place}\nevent: reset\ndata: {}\n\n`)

  #send(bytes: Buffer): void {
    for (const reader of this.#readers) {
      if (reader.writableLength > mostWaitingBytes) reader.destroy()
      else reader.write(bytes)
    }
  }
}
