/**
 * Reads HTTP answers to GET from the bytes of a connection: as little as a probe needs of it, and nothing that a hostile or broken
 * server could make endless. Several answers in a row are read one after the other, so that requests can be sent at once.
 */
import { type AnswerHead, BadAnswer, notHttp, readAnswerHead } from './answer-head.ts'
import { notCounted } from './body-room.ts'

const longestHead = 32 * 1024
const longestChunkLine = 1024
const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const nothing = Buffer.alloc(0)

export interface Answer {
  readonly status: number
  /** In lower case, without parameters; empty: none was told. */
  readonly type: string
  /** Not as it is, but compressed or otherwise coded, though nobody asked for it. */
  readonly isCoded: boolean
  /** Where a redirect leads. */
  readonly location: string | undefined
  readonly body: Buffer
  /** The server takes another request on the same connection. */
  readonly staysOpen: boolean
}

export interface BodyHolder {
  /** Hears how much more memory a long body takes, and throws where there is none. */
  hold(bytes: number): void
}

type State = 'head' | 'length' | 'until_end' | 'chunk_line' | 'chunk' | 'chunk_end' | 'trailer'

export class AnswerReader {
  readonly #longestBody: number
  readonly #holder: BodyHolder | undefined
  #state: State = 'head'
  /** What is being read, and how far it has been. */
  #bytes: Buffer = nothing
  #at = 0
  #head: AnswerHead | undefined
  /** Grows with what comes, never with what is promised. */
  #body: Buffer = nothing
  #filled = 0
  /** What counts against the limit: also what is promised. */
  #length = 0
  #missing = 0

  constructor({ longestBody }: { longestBody: number }, holder?: BodyHolder) {
    this.#longestBody = longestBody
    this.#holder = holder
  }

  /** Nothing of an answer has come that was not told yet. */
  get isBetweenAnswers(): boolean {
    return this.#state === 'head' && this.#at >= this.#bytes.length
  }

  /** For a new connection. */
  reset(): void {
    this.#bytes = nothing
    this.#at = 0
    // Nobody has it but us, so its memory can be given back at once.
    if (this.#body.length > notCounted) (this.#body.buffer as ArrayBuffer).transfer(0)
    this.#finish()
  }

  /**
   * Adds the whole answers that these bytes complete, and gives back their list. What it keeps it copies, so the bytes may be
   * overwritten afterwards. Throws `BadAnswer`, when what came before it has been added: the connection is of no more use then.
   */
  read(bytes: Buffer, answers: Answer[] = []): Answer[] {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    this.#at = 0
    while (this.#step(answers)) {}
    this.#bytes = this.#at < this.#bytes.length ? Buffer.from(this.#bytes.subarray(this.#at)) : nothing
    this.#at = 0
    return answers
  }

  /** The connection has ended: an answer that goes on until then is complete. */
  end(): Answer[] {
    if (this.#state === 'until_end') return [this.#told()]
    if (!this.isBetweenAnswers) throw new BadAnswer('The answer was cut off.')
    return []
  }

  /** False: it needs more bytes. */
  #step(answers: Answer[]): boolean {
    if (this.#state === 'head') return this.#readHead(answers)
    if (this.#state === 'chunk_line') return this.#readChunkLine()
    if (this.#state === 'chunk_end') return this.#readChunkEnd()
    if (this.#state === 'trailer') return this.#readTrailer(answers)
    return this.#readBody(answers)
  }

  #readHead(answers: Answer[]): boolean {
    const [bytes, at] = [this.#bytes, this.#at]
    if (at >= bytes.length) return false
    const end = bytes.indexOf(headEnd, at)
    if (end < 0) {
      if (bytes.length - at > longestHead) throw new BadAnswer('The head of the answer does not end.')
      if (bytes.length - at >= 5 && bytes.toString('latin1', at, at + 5) !== 'HTTP/') throw notHttp()
      return false
    }
    if (end - at > longestHead) throw new BadAnswer('The head of the answer is too long.')
    const head = readAnswerHead(bytes.toString('latin1', at, end))
    this.#at = end + 4
    // Not the answer yet; there are never more of these than fit into a head.
    if (head.status < 200 && head.status !== 101) {
      this.#grow(end + 4 - at, longestHead)
      return true
    }
    this.#begin(head)
    if (this.#state === 'head') answers.push(this.#told())
    return true
  }

  #begin(head: AnswerHead): void {
    this.#head = head
    this.#length = 0
    if (hasNoBody(head.status)) return
    if (head.isChunked) this.#state = 'chunk_line'
    else if (head.length === undefined) this.#state = 'until_end'
    else {
      this.#grow(head.length)
      this.#missing = head.length
      if (head.length > 0) this.#state = 'length'
    }
  }

  #readBody(answers: Answer[]): boolean {
    const there = this.#bytes.length - this.#at
    if (there === 0) return false
    if (this.#state === 'until_end') {
      this.#grow(there)
      this.#append(there)
      return false
    }
    const length = Math.min(there, this.#missing)
    this.#append(length)
    this.#missing -= length
    if (this.#missing > 0) return false
    if (this.#state === 'chunk') this.#state = 'chunk_end'
    else answers.push(this.#told())
    return true
  }

  #readChunkLine(): boolean {
    const line = this.#line()
    if (line === undefined) return false
    const [, size] = /^([0-9a-f]{1,8})(?:[ \t]*;.*)?$/i.exec(line) ?? []
    if (size === undefined) throw new BadAnswer('A chunk of the answer has no length.')
    this.#missing = Number.parseInt(size, 16)
    this.#grow(this.#missing)
    this.#state = this.#missing === 0 ? 'trailer' : 'chunk'
    return true
  }

  #readChunkEnd(): boolean {
    const [bytes, at] = [this.#bytes, this.#at]
    if (bytes.length - at < 2) return false
    if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw new BadAnswer('A chunk of the answer does not end.')
    this.#at += 2
    this.#state = 'chunk_line'
    return true
  }

  #readTrailer(answers: Answer[]): boolean {
    const line = this.#line()
    if (line === undefined) return false
    if (line === '') answers.push(this.#told())
    else this.#grow(line.length)
    return true
  }

  #line(): string | undefined {
    const [bytes, at] = [this.#bytes, this.#at]
    const end = bytes.indexOf(lineEnd, at)
    if (end < 0 && bytes.length - at <= longestChunkLine) return undefined
    if (end < 0 || end - at > longestChunkLine) throw new BadAnswer('A line of the answer does not end.')
    this.#at = end + 2
    return bytes.toString('latin1', at, end)
  }

  #grow(length: number, longest = this.#longestBody): void {
    this.#length += length
    if (this.#length > longest) throw new BadAnswer('The answer is too long.')
  }

  #append(length: number): void {
    const needed = this.#filled + length
    if (needed > this.#body.length) {
      // At once where all of it is there; else with room for more, so that a body in single bytes stays cheap.
      const roomy = Math.max(needed, Math.min(2 * this.#filled, this.#longestBody), 512)
      const size = length === this.#missing && this.#filled === 0 ? length : roomy
      if (size > notCounted)
        this.#holder?.hold(size - (this.#body.length > notCounted ? this.#body.length : 0))
      this.#body = this.#larger(size)
    }
    this.#bytes.copy(this.#body, this.#filled, this.#at, this.#at + length)
    this.#filled = needed
    this.#at += length
  }

  /** A long one is moved, not copied: what is left behind would stay in memory until somebody cleans up. */
  #larger(size: number): Buffer {
    if (this.#body.length > notCounted) return Buffer.from((this.#body.buffer as ArrayBuffer).transfer(size))
    const body = size > notCounted ? Buffer.allocUnsafeSlow(size) : Buffer.allocUnsafe(size)
    this.#body.copy(body, 0, 0, this.#filled)
    return body
  }

  #told(): Answer {
    const { status, type, isCoded, location, connection, isOld } = this.#head!
    const hasEnd = this.#state !== 'until_end'
    const staysOpen = hasEnd && (isOld ? connection.includes('keep-alive') : !connection.includes('close'))
    const body = this.#filled === this.#body.length ? this.#body : this.#body.subarray(0, this.#filled)
    this.#finish()
    return { status, type, isCoded, location, body, staysOpen }
  }

  #finish(): void {
    this.#state = 'head'
    this.#head = undefined
    this.#body = nothing
    this.#filled = 0
    this.#length = 0
    this.#missing = 0
  }
}

const hasNoBody = (status: number) => status === 204 || status === 304
