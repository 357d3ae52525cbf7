/**
 * Reads HTTP answers to GET from the bytes of a connection: as little as a probe needs of it, and nothing that a hostile or broken
 * server could make endless. Several answers in a row are read one after the other, so that requests can be sent at once.
 */

const longestHead = 32 * 1024
const longestChunkLine = 1024

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

/** What is no HTTP, or too much of it. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer'
}

type State = 'head' | 'length' | 'until_end' | 'chunk_line' | 'chunk' | 'chunk_end' | 'trailer'

export class AnswerReader {
  readonly #longestBody: number
  #state: State = 'head'
  #held: Buffer = Buffer.alloc(0)
  #answer: Omit<Answer, 'body'> | undefined
  #parts: Buffer[] = []
  #length = 0
  #missing = 0

  constructor({ longestBody }: { longestBody: number }) {
    this.#longestBody = longestBody
  }

  /** Whole answers that these bytes complete. Throws `BadAnswer`: the connection is of no more use then. */
  read(bytes: Buffer): Answer[] {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const answers: Answer[] = []
    while (this.#step(answers)) {}
    return answers
  }

  /** The connection has ended: an answer that goes on until then is complete. */
  end(): Answer[] {
    if (this.#state === 'until_end') return [this.#finish()]
    if (this.#state !== 'head' || this.#held.length > 0) throw new BadAnswer('The answer was cut off.')
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
    const end = this.#held.indexOf('\r\n\r\n')
    if (end < 0) {
      if (this.#held.length > longestHead) throw new BadAnswer('The head of the answer does not end.')
      if (this.#held.length >= 5 && this.#held.toString('latin1', 0, 5) !== 'HTTP/') throw notHttp()
      return false
    }
    if (end > longestHead) throw new BadAnswer('The head of the answer is too long.')
    const head = this.#held.toString('latin1', 0, end)
    this.#held = this.#held.subarray(end + 4)
    const { status, isOld } = statusOf(head)
    // Not the answer yet.
    if (status >= 100 && status < 200 && status !== 101) return true
    this.#begin(head.toLowerCase(), head, status, isOld)
    if (this.#state === 'head') answers.push(this.#finish())
    return true
  }

  #begin(lower: string, head: string, status: number, isOld: boolean): void {
    const connection = headerOf(lower, 'connection') ?? ''
    const chunked = headerOf(lower, 'transfer-encoding')
    const length = lengthOf(lower)
    const hasEnd = chunked !== undefined || length !== undefined || hasNoBody(status)
    const staysOpen = hasEnd && (isOld ? connection.includes('keep-alive') : !connection.includes('close'))
    const coding = headerOf(lower, 'content-encoding')
    this.#answer = {
      status,
      type: (headerOf(lower, 'content-type') ?? '').split(';')[0]!.trim(),
      isCoded: coding !== undefined && coding !== 'identity',
      location: headerOf(lower, 'location') === undefined ? undefined : headerOf(lower, 'location', head),
      staysOpen,
    }
    if (hasNoBody(status)) return
    if (chunked !== undefined) {
      if (chunked !== 'chunked')
        throw new BadAnswer('The answer has a transfer coding that nobody asked for.')
      this.#state = 'chunk_line'
    } else if (length !== undefined) {
      this.#grow(length)
      this.#missing = length
      if (length > 0) this.#state = 'length'
    } else this.#state = 'until_end'
  }

  #readBody(answers: Answer[]): boolean {
    if (this.#held.length === 0) return false
    if (this.#state === 'until_end') {
      this.#grow(this.#held.length)
      this.#parts.push(this.#held)
      this.#held = Buffer.alloc(0)
      return false
    }
    const part = this.#held.subarray(0, this.#missing)
    this.#parts.push(part)
    this.#held = this.#held.subarray(part.length)
    this.#missing -= part.length
    if (this.#missing > 0) return false
    if (this.#state === 'chunk') this.#state = 'chunk_end'
    else answers.push(this.#finish())
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
    if (this.#held.length < 2) return false
    if (this.#held.toString('latin1', 0, 2) !== '\r\n')
      throw new BadAnswer('A chunk of the answer does not end.')
    this.#held = this.#held.subarray(2)
    this.#state = 'chunk_line'
    return true
  }

  #readTrailer(answers: Answer[]): boolean {
    const line = this.#line()
    if (line === undefined) return false
    if (line === '') answers.push(this.#finish())
    else this.#grow(line.length)
    return true
  }

  #line(): string | undefined {
    const end = this.#held.indexOf('\r\n')
    if (end < 0 && this.#held.length <= longestChunkLine) return undefined
    if (end < 0 || end > longestChunkLine) throw new BadAnswer('A line of the answer does not end.')
    const line = this.#held.toString('latin1', 0, end)
    this.#held = this.#held.subarray(end + 2)
    return line
  }

  #grow(length: number): void {
    this.#length += length
    if (this.#length > this.#longestBody) throw new BadAnswer('The answer is too long.')
  }

  #finish(): Answer {
    const body = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    const answer = { ...this.#answer!, body }
    this.#state = 'head'
    this.#answer = undefined
    this.#parts = []
    this.#length = 0
    return answer
  }
}

function statusOf(head: string): { status: number; isOld: boolean } {
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |\r|$)/.exec(head) ?? []
  if (status === undefined) throw notHttp()
  return { status: Number(status), isOld: minor === '0' }
}

/** Of the head in lower case; its value as it is from `head`. Undefined: it is not there. */
function headerOf(lower: string, name: string, head = lower): string | undefined {
  const start = lower.indexOf(`\r\n${name}:`)
  if (start < 0) return undefined
  const from = start + name.length + 3
  const end = lower.indexOf('\r\n', from)
  return head.slice(from, end < 0 ? undefined : end).trim()
}

/** Two lengths that differ are an attack on whoever believes one of them. */
function lengthOf(lower: string): number | undefined {
  const text = headerOf(lower, 'content-length')
  if (text === undefined) return undefined
  const name = '\r\ncontent-length:'
  if (lower.indexOf(name) !== lower.lastIndexOf(name)) throw new BadAnswer('The answer has two lengths.')
  if (!/^\d{1,15}$/.test(text)) throw new BadAnswer('The length of the answer is no number.')
  return Number(text)
}

const hasNoBody = (status: number) => status === 204 || status === 304

const notHttp = () => new BadAnswer('The answer is not HTTP/1.')
