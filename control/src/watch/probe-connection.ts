/**
 * Asks one server a few paths over a connection that is kept from look to look. Once a server has shown that it keeps a
 * connection open, all of a look is asked at once: for the machine that watches ten thousand, that is most of the cost.
 */
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { ReasonCode } from '@quarterdeck/contract'
import { type Answer, AnswerReader, BadAnswer } from './answer-reader.ts'

export interface Server {
  /** A name or an address. */
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** As the request names it; without it, host and port. */
  readonly authority?: string
  /** What else is said with every request; checked before, so that none can end its line. */
  readonly headers?: Readonly<Record<string, string>>
  /** How its name becomes an address; without it, as the system does. */
  readonly lookup?: LookupFunction
}

export interface LookLimits {
  /** For the connection, and for each answer. */
  readonly timeoutMs: number
  readonly longestBody: number
}

export type Seen =
  | { readonly answer: Answer; readonly latencyMs: number }
  | { readonly failure: { readonly code: ReasonCode; readonly message: string } }

export class ProbeConnection {
  readonly #server: Server
  readonly #limits: LookLimits
  #socket: Socket | TLSSocket | undefined
  /** Answers that came over the connection that is open: one that was never used cannot have gone stale. */
  #answered = 0
  /** It has kept a connection open before; false: it was seen not to take several requests at once. */
  #takesSeveral: boolean | undefined

  constructor(server: Server, limits: LookLimits) {
    this.#server = server
    this.#limits = limits
  }

  /** When the server's certificate ends; undefined: there is none, or no connection. */
  get certificateEnds(): Date | undefined {
    const socket = this.#socket
    const ends = socket && 'getPeerCertificate' in socket ? socket.getPeerCertificate().valid_to : undefined
    return ends ? new Date(ends) : undefined
  }

  /** What each path was answered with. The first that fails is the last that was seen: what comes behind it is left out. */
  async look(paths: readonly string[]): Promise<Seen[]> {
    const seen: Seen[] = []
    while (seen.length < paths.length) {
      const wasUsed = this.#answered > 0
      const some = await this.#exchange(
        paths.slice(seen.length, this.#takesSeveral ? undefined : seen.length + 1),
      )
      seen.push(...some.seen)
      if (some.failure) {
        const hasGoneStale = wasUsed && some.seen.length === 0 && some.failure.code === 'connect'
        // It may have closed it between two looks, or after the first of several requests: once more, on a new one.
        if (hasGoneStale || (some.seen.length > 0 && some.failure.code === 'connect')) {
          if (some.seen.length > 0) this.#takesSeveral = false
          continue
        }
        return [...seen, { failure: some.failure }]
      }
    }
    return seen
  }

  close(): void {
    this.#socket?.destroy()
    this.#forget()
  }

  async #exchange(paths: readonly string[]): Promise<Exchanged> {
    let socket: Socket
    try {
      socket = this.#socket ?? (await this.#open())
    } catch (error) {
      return { seen: [], failure: failureOf(error) }
    }
    const exchanged = await exchange(
      socket,
      paths.map(path => this.#request(path)).join(''),
      paths.length,
      this.#limits,
    )
    const { seen, failure } = exchanged
    this.#answered += seen.length
    const last = seen.at(-1)
    const staysOpen = !failure && last !== undefined && 'answer' in last && last.answer.staysOpen
    if (staysOpen) this.#takesSeveral ??= true
    else this.close()
    return exchanged
  }

  #request(path: string): string {
    const { host, port, authority, headers = {} } = this.#server
    const name = authority ?? `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
    const more = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    return `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nAccept: */*\r\nAccept-Encoding: identity\r\nUser-Agent: quarterdeck\r\n${more}\r\n`
  }

  #open(): Promise<Socket> {
    const { host, port, isTls, lookup } = this.#server
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const options = { host, port, noDelay: true, ...(lookup && { lookup }) }
    const socket = isTls
      ? connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) })
      : connectTcp(options)
    const timer = setTimeout(
      () => socket.destroy(new TimedOut('it takes no connection')),
      this.#limits.timeoutMs,
    )
    socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
    socket.once('error', reject)
    this.#socket = socket
    return promise
      .catch(error => {
        this.close()
        throw error
      })
      .finally(() => {
        clearTimeout(timer)
        socket.off('error', reject)
        // What happens to it while nobody asks is found out with the next look.
        socket.on('error', () => undefined)
        socket.once('close', () => {
          if (this.#socket === socket) this.#forget()
        })
      })
  }

  #forget(): void {
    this.#socket = undefined
    this.#answered = 0
  }
}

interface Exchanged {
  readonly seen: Seen[]
  readonly failure?: { readonly code: ReasonCode; readonly message: string }
}

class TimedOut extends Error {
  override readonly name = 'TimedOut'
}

/** Sends the requests and waits for so many answers, or for the first thing that goes wrong. */
function exchange(socket: Socket, requests: string, count: number, limits: LookLimits): Promise<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  const reader = new AnswerReader(limits)
  const seen: Seen[] = []
  let since = performance.now()
  const take = (answers: readonly Answer[]) => {
    const now = performance.now()
    for (const answer of answers) seen.push({ answer, latencyMs: now - since })
    if (answers.length > 0) {
      since = now
      timer.refresh()
    }
    if (seen.length >= count) done()
  }
  const guarded = (work: () => void) => {
    try {
      work()
    } catch (error) {
      done(error)
    }
  }
  const onData = (bytes: Buffer) => guarded(() => take(reader.read(bytes)))
  const onEnd = () =>
    guarded(() => {
      take(reader.end())
      if (seen.length < count) done(new Error('it closes the connection without an answer'))
    })
  const done = (error?: unknown) => {
    clearTimeout(timer)
    socket.off('data', onData).off('end', onEnd).off('error', done).off('close', onEnd)
    resolve(error === undefined ? { seen: seen.slice(0, count) } : { seen, failure: failureOf(error) })
  }
  const timer = setTimeout(() => done(new TimedOut('it does not answer')), limits.timeoutMs)
  socket.on('data', onData).on('end', onEnd).on('error', done).on('close', onEnd)
  if (socket.destroyed || socket.readableEnded) onEnd()
  else socket.write(requests)
  return promise
}

const dnsCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])

/** In words for everybody: no inner address is in it. */
function failureOf(error: unknown): { code: ReasonCode; message: string } {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof TimedOut) return { code: 'timeout', message: `Within the time limit ${message}.` }
  if (error instanceof BadAnswer) return { code: 'body', message }
  if (dnsCodes.has(code)) return { code: 'dns', message: 'Its name cannot be looked up.' }
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/.test(code) || code === 'EPROTO')
    return { code: 'tls', message: tlsMessages[code] ?? `Its certificate is not accepted (${code}).` }
  return { code: 'connect', message: connectMessages[code] ?? 'It closes the connection without an answer.' }
}

const tlsMessages: Record<string, string> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by itself alone.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by nobody who is trusted.',
}

const connectMessages: Record<string, string> = {
  ECONNREFUSED: 'Nothing takes the connection.',
  ECONNRESET: 'It resets the connection.',
  EHOSTUNREACH: 'There is no way to its machine.',
  ENETUNREACH: 'There is no way to its network.',
  EMFILE: 'This machine has no more connections to give.',
}
