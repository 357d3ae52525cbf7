/**
 * Asks one server a few paths over a connection that is kept from look to look. Once a server has shown that it keeps a
 * connection open, all of a look is asked at once: for the machine that watches ten thousand, that is most of the cost.
 */
import { isIP, type Socket } from 'node:net'
import { BadAnswer } from './answer-head.ts'
import { type Answer, AnswerReader, type BodyHolder } from './answer-reader.ts'
import { type BodyRoom, bodyRoom, type Holder } from './body-room.ts'
import { type Failure, failureOf, NoLook, notLookedUp, TimedOut } from './failure.ts'
import { authorityOf, openSocket, type Server, type SocketListener } from './open-socket.ts'

export type { Server } from './open-socket.ts'

export interface LookLimits {
  /** For the connection, and for each answer. */
  readonly timeoutMs: number
  /** For all of a look; without it, twice `timeoutMs`. */
  readonly lookMs?: number
  readonly longestBody: number
  /** Of long answers, with others; without it, with all of this process. */
  readonly room?: BodyRoom
}

/** The latency is since the request went, or since the answer before it came where several were asked at once. */
export type Seen = { readonly answer: Answer; readonly latencyMs: number } | { readonly failure: Failure }

/** A timer that comes this much too late says that this process stood still, not that the server did. */
const stoodStillMs = 200

interface Look {
  readonly paths: readonly string[]
  readonly seen: Seen[]
  endsMs: number
  /** Which of them the open connection was asked last: from here, up to there. */
  from: number
  asked: number
  /** When the requests went: of several that went together, each answer is told from then. */
  sinceMs: number
  /** When time is up for what is waited for. */
  dueMs: number
  hadMoreTime: boolean
  readonly resolve: (seen: Seen[]) => void
  readonly reject: (error: unknown) => void
}

export class ProbeConnection implements SocketListener, Holder, BodyHolder {
  limits: LookLimits
  readonly #server: Server
  readonly #reader: AnswerReader
  readonly #room: BodyRoom
  readonly #requestEnd: string
  #socket: Socket | undefined
  #stage: 'none' | 'lookup' | 'connect' | 'open' = 'none'
  /** Answers that came over the connection that is open: one that was never used cannot have gone stale. */
  #answered = 0
  /** Whether it takes several requests at once: told by what it did, and never forgotten after a refusal. */
  #several: 'unknown' | 'likely' | 'proven' | 'refused' = 'unknown'
  #look: Look | undefined
  #timer: NodeJS.Timeout | undefined
  #certificateEnds: Date | undefined

  constructor(server: Server, limits: LookLimits) {
    const authority = authorityOf(server)
    if (!/^[\x21-\x7e]+$/.test(authority))
      throw new Error(`${JSON.stringify(authority)} cannot be asked: write it in ASCII.`)
    this.#server = server
    this.limits = limits
    this.#room = limits.room ?? bodyRoom
    this.#reader = new AnswerReader(limits, this)
    const more = Object.entries(server.headers ?? {})
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    this.#requestEnd = ` HTTP/1.1\r\nHost: ${authority}\r\nAccept: */*\r\nAccept-Encoding: identity\r\nUser-Agent: quarterdeck\r\n${more}\r\n`
  }

  /** A connection is there, and may be used for the next look. */
  get isOpen(): boolean {
    return this.#stage === 'open'
  }

  /** When the certificate that was seen last ends, also if it was refused; undefined: none was seen. */
  get certificateEnds(): Date | undefined {
    return this.#certificateEnds
  }

  /**
   * What each path was answered with. The first that fails is the last that was seen: what comes behind it is left out. One look
   * at a time. Rejects with `NoLook` when nothing can be said of the server.
   */
  look(paths: readonly string[]): Promise<Seen[]> {
    if (this.#look) throw new Error('The look before is not done: wait for it first.')
    const { promise, resolve, reject } = Promise.withResolvers<Seen[]>()
    const { timeoutMs, lookMs = 2 * timeoutMs } = this.limits
    const now = performance.now()
    const progress = { seen: [], from: 0, asked: 0, sinceMs: now, dueMs: now, hadMoreTime: false }
    this.#look = { paths, endsMs: now + lookMs, ...progress, resolve, reject }
    this.#giveTime(this.#look, now)
    try {
      this.#ask(this.#look)
    } catch (error) {
      // Such as a port that there is not.
      this.#drop()
      this.#end(error)
    }
    return promise
  }

  hold(bytes: number): void {
    if (!this.#room.hold(this, bytes)) throw tooMuch()
  }

  giveUp(): void {
    this.#fail(tooMuch())
  }

  close(): void {
    this.#drop()
    this.#end(new NoLook('The connection was closed from this side.'))
  }

  onAddress(socket: Socket): void {
    if (this.#isOurs(socket)) this.#stage = 'connect'
  }

  onOpen(socket: Socket): void {
    if (!this.#isOurs(socket)) return
    this.#stage = 'open'
    if (!this.#look) return
    this.#giveTime(this.#look, performance.now())
    this.#ask(this.#look)
  }

  onCertificate(ends: Date | undefined): void {
    this.#certificateEnds = ends
  }

  onBytes(socket: Socket, bytes: Buffer): void {
    if (!this.#isOurs(socket)) return
    const answers: Answer[] = []
    try {
      // What nobody has asked for must not be taken for the next answer.
      if (!this.#look) this.#drop()
      else if (this.#reader.read(bytes, answers)) this.#take(this.#look, answers)
    } catch (error) {
      // What came before it is good.
      if (this.#look) this.#take(this.#look, answers)
      if (this.#isOurs(socket)) this.#fail(error)
    }
  }

  onEnd(socket: Socket): void {
    if (!this.#isOurs(socket)) return
    try {
      if (this.#look) this.#take(this.#look, this.#reader.end())
      if (this.#isOurs(socket)) this.#fail(new Error('It ends the connection.'))
    } catch (error) {
      this.#fail(error)
    }
  }

  onError(socket: Socket, error: Error): void {
    if (this.#isOurs(socket)) this.#fail(error)
  }

  /** What an earlier connection still tells is of no interest. */
  #isOurs(socket: Socket): boolean {
    return socket === this.#socket
  }

  /** Sends what is still to be asked, as much as the server takes at once; opens a connection first where there is none. */
  #ask(look: Look): void {
    if (this.#stage === 'none') {
      this.#stage = isIP(this.#server.host) === 0 ? 'lookup' : 'connect'
      this.#socket = openSocket(this.#server, this, this.limits.timeoutMs / 3)
    }
    if (this.#stage !== 'open') return
    look.from = look.seen.length
    const takesSeveral = this.#several === 'likely' || this.#several === 'proven'
    look.asked = takesSeveral ? look.paths.length : look.from + 1
    look.sinceMs = performance.now()
    let requests = ''
    for (let index = look.from; index < look.asked; index++)
      requests += `GET ${look.paths[index]}${this.#requestEnd}`
    this.#socket!.write(requests, 'latin1')
  }

  #take(look: Look, answers: readonly Answer[]): void {
    if (answers.length === 0) return
    const now = performance.now()
    let [staysOpen, hasMore] = [true, false]
    for (const answer of answers) {
      // More answers than questions: whatever they are, nobody asked for them.
      hasMore = look.seen.length === look.asked || !staysOpen
      if (hasMore) break
      look.seen.push({ answer, latencyMs: now - look.sinceMs })
      staysOpen = answer.staysOpen
      this.#answered++
    }
    const isAnswered = look.seen.length === look.asked
    if (!staysOpen || hasMore || (isAnswered && !this.#reader.isBetweenAnswers)) this.#drop()
    this.#learn(look, isAnswered, staysOpen)
    if (look.seen.length === look.paths.length) this.#end()
    else {
      this.#giveTime(look, now)
      if (isAnswered || !staysOpen) this.#ask(look)
    }
  }

  #fail(error: unknown): void {
    const look = this.#look
    const wasUsed = this.#answered > 0
    this.#drop()
    if (!look) return
    try {
      const failure = failureOf(error)
      const isRefusal = this.#isRefusalOfSeveral(look, failure, wasUsed)
      if (isRefusal) this.#doubtSeveral()
      // It may have closed it between two looks, or after the first of several requests: once more, on a new one.
      if (failure.code === 'connect' && (wasUsed || (isRefusal && this.#several === 'refused')))
        this.#ask(look)
      else {
        look.seen.push({ failure })
        this.#end()
      }
    } catch (ours) {
      this.#end(ours)
    }
  }

  #learn({ from, asked }: Look, isAnswered: boolean, staysOpen: boolean): void {
    if (!isAnswered && !staysOpen) this.#doubtSeveral()
    else if (isAnswered && staysOpen && asked - from > 1) this.#several = 'proven'
    else if (isAnswered && staysOpen && this.#several === 'unknown') this.#several = 'likely'
  }

  /** It answered some of several and no more. One that was idle and is gone, or never answered at all, says nothing about that. */
  #isRefusalOfSeveral({ seen, from, asked }: Look, { code }: Failure, wasUsed: boolean): boolean {
    if (asked - from < 2) return false
    if (code === 'timeout') return seen.length > from
    return code === 'connect' && !(wasUsed && seen.length === 0)
  }

  /** One that was seen to take several has another chance: it may have been restarted just then. */
  #doubtSeveral(): void {
    this.#several = this.#several === 'proven' ? 'likely' : 'refused'
  }

  #giveTime(look: Look, now: number): void {
    const { timeoutMs } = this.limits
    const ms = Math.min(timeoutMs, Math.max(1, look.endsMs - now))
    look.dueMs = now + ms
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onTime, ms)
  }

  readonly #onTime = (): void => {
    const look = this.#look
    if (!look) return
    const now = performance.now()
    const lateMs = now - look.dueMs
    if (lateMs > stoodStillMs && !look.hadMoreTime) {
      look.hadMoreTime = true
      look.endsMs += lateMs
      this.#timer = setTimeout(this.#onTime, Math.min(lateMs, this.limits.timeoutMs))
    } else if (this.#stage === 'lookup') this.#fail(notLookedUp())
    else if (this.#stage === 'connect') this.#fail(new TimedOut('it takes no connection'))
    else
      this.#fail(
        new TimedOut(look.seen.length === 0 ? 'it does not answer' : 'it does not answer everything'),
      )
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = undefined
    this.#stage = 'none'
    this.#answered = 0
    this.#reader.reset()
    socket?.destroy()
  }

  #end(error?: unknown): void {
    const look = this.#look
    this.#look = undefined
    this.#room.release(this)
    clearTimeout(this.#timer)
    if (error === undefined) look?.resolve(look.seen)
    else look?.reject(error)
  }
}

const tooMuch = () => new BadAnswer('The answer is too long, while others are read that are long, too.')
