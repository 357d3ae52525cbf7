/** Asks a service as a probe does: each time on a new connection, so that every worker gets its turn. */
import { type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { lookup } from '../client.ts'
import { NoAnswer } from './no-answer.ts'

const limitMs = 5000
const maxBytes = 10 * 1024 * 1024

export interface Answer {
  path: string
  status: number
  headers: IncomingHttpHeaders
  /** As it came; after HEAD whatever wrongly followed the headers. */
  body: Buffer
  /** From the request to the end of the answer. */
  ms: number
  /** Which address answered. */
  address: string
}

export interface Question {
  method?: 'GET' | 'HEAD'
  accept?: string
}

export class Probe {
  readonly url: URL
  readonly #first = new Map<string, Promise<Answer>>()

  /** `url` is where the paths of the service begin. */
  constructor(url: string) {
    this.url = new URL(url)
  }

  /** The first answer to GET: what several clauses look at is asked once. */
  first(path: string): Promise<Answer> {
    const answer = this.#first.get(path) ?? this.ask(path)
    this.#first.set(path, answer)
    return answer
  }

  /** Asks anew. Redirects are answers like any other. Throws `NoAnswer`. */
  async ask(path: string, { method = 'GET', accept = '*/*' }: Question = {}): Promise<Answer> {
    const url = new URL(this.url)
    url.pathname = url.pathname.replace(/\/$/, '') + path
    const send = url.protocol === 'https:' ? secureRequest : request
    const startedMs = performance.now()
    const call = send(url, {
      method,
      lookup,
      agent: false,
      signal: AbortSignal.timeout(limitMs),
      headers: { accept, 'user-agent': 'quarterdeck-check' },
    })
    try {
      const answer = await receive(call, method)
      return { path, ms: performance.now() - startedMs, ...answer }
    } catch (error) {
      throw new NoAnswer(`${method} ${path}`, error)
    }
  }
}

type Received = Omit<Answer, 'path' | 'ms'>

function receive(call: ClientRequest, method: string): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const chunks: Buffer[] = []
  let bytes = 0
  let answered = false
  function keep(chunk: Buffer): void {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) call.destroy(new Error('it is longer than 10 MiB'))
  }
  // Node drops a body that follows HEAD's headers, or calls it a parse error: it is only to be seen on the socket.
  if (method === 'HEAD') call.once('socket', socket => socket.on('data', keep))
  call.on('error', error => {
    if (method !== 'HEAD' || !answered) reject(error)
  })
  call.once('response', response => {
    answered = true
    const { statusCode: status = 0, headers, socket } = response
    const address = socket.remoteAddress ?? ''
    response.on('data', keep)
    response.once('error', reject)
    response.once('end', () => {
      const received = Buffer.concat(chunks)
      const body = method === 'HEAD' ? received.subarray(received.indexOf('\r\n\r\n') + 4) : received
      resolve({ status, headers, body, address })
    })
  })
  call.end()
  return promise
}
