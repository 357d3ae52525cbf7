/**
 * A document that many read and few change: its bytes are made once, also compressed, and told apart by a strong ETag.
 * It is answered without the framework, because during an outage everybody comes at once.
 */
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

type Coding = 'br' | 'gzip' | 'identity'

/** What is smaller fits into one packet anyway. */
const worthCompressing = 1000

/** What is larger is compressed fast rather than well, because somebody waits for it. */
const large = 500_000

const compress: Record<Exclude<Coding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: bytes =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > large ? 1 : 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: bytes =>
    promisify(gzip)(bytes, { level: bytes.length > large ? 1 : constants.Z_DEFAULT_COMPRESSION }),
}

export interface PublishedHeaders {
  readonly type: string
  readonly cacheControl: string
  /** Such as those for other sites' scripts. */
  readonly more?: Readonly<Record<string, string>>
}

export class Published {
  readonly bytes: Buffer
  readonly #etag: string
  readonly headers: PublishedHeaders
  /** Ready-made answers, by coding. */
  readonly #answers = new Map<Coding, Answer>()
  readonly #compressing = new Map<Coding, Promise<Answer>>()

  constructor(content: string | Buffer, headers: PublishedHeaders) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content
    this.#etag = hash('sha256', this.bytes, 'base64url').slice(0, 22)
    this.headers = headers
    this.#answers.set('identity', this.#answer('identity', this.bytes))
  }

  /** Stands for the bytes, and for them alone. */
  get tag(): string {
    return this.#etag
  }

  /** Of a GET or HEAD. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const { 'accept-encoding': accepted, 'if-none-match': known } = request.headers
    const coding = this.bytes.length < worthCompressing ? 'identity' : codingFor(accepted)
    const ready = this.#answers.get(coding)
    if (ready) this.#send(request, response, ready, known)
    else
      this.#compress(coding)
        .then(answer => this.#send(request, response, answer, known))
        .catch(error => response.destroy(error))
  }

  #send(
    { method }: IncomingMessage,
    response: ServerResponse,
    { headers, unchanged, bytes }: Answer,
    known: string | undefined,
  ): void {
    if (known !== undefined && this.#isKnown(known)) {
      response.writeHead(304, unchanged)
      response.end()
      return
    }
    response.writeHead(200, headers)
    response.end(method === 'HEAD' ? undefined : bytes)
  }

  /** In whichever coding: what it says is the same. */
  #isKnown(known: string): boolean {
    return known === '*' || known.includes(this.#etag)
  }

  #compress(coding: Coding): Promise<Answer> {
    const under = this.#compressing.get(coding)
    if (under || coding === 'identity') return under!
    const compressing = compress[coding](this.bytes).then(bytes => {
      const answer = this.#answer(coding, bytes)
      this.#answers.set(coding, answer)
      return answer
    })
    this.#compressing.set(coding, compressing)
    return compressing
  }

  #answer(coding: Coding, bytes: Buffer): Answer {
    const { type, cacheControl, more } = this.headers
    const unchanged = {
      'cache-control': cacheControl,
      etag: `"${this.#etag}${coding === 'identity' ? '' : `-${coding}`}"`,
      vary: 'accept-encoding',
      ...more,
    }
    const headers = {
      ...unchanged,
      'content-type': type,
      'content-length': `${bytes.length}`,
      'x-content-type-options': 'nosniff',
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    }
    return { headers: flat(headers), unchanged: flat(unchanged), bytes }
  }
}

interface Answer {
  /** Name, value, name, value: Node writes those fastest. */
  readonly headers: string[]
  /** Of a 304. */
  readonly unchanged: string[]
  readonly bytes: Buffer
}

const flat = (headers: Record<string, string>): string[] => Object.entries(headers).flat()

/** The smallest that the reader takes. Browsers and programs name codings plainly, or refuse them with q=0. */
function codingFor(accepted: string | string[] | undefined): Coding {
  if (typeof accepted !== 'string') return 'identity'
  return (['br', 'gzip'] as const).find(coding => takes(accepted, coding)) ?? 'identity'
}

const takes = (accepted: string, coding: string): boolean =>
  accepted.split(',').some(part => {
    const [name, ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    return name === coding && !parameters.some(parameter => /^q=0(\.0*)?$/.test(parameter))
  })
