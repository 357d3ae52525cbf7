/** Asks a running environment. `*.localhost` is this machine, whatever the resolver says (RFC 6761). */
import { lookup as systemLookup } from 'node:dns'
import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Fault } from '@quarterdeck/contract'
import type { Running } from '@quarterdeck/control/client'

const usualLimitMs = 5000
const maxBytes = 10 * 1024 * 1024

export interface Question {
  token?: string | undefined
  /** Where the host is, past any name server. */
  address?: string | undefined
  method?: string
  accept?: string
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: unknown
}

export interface Answer {
  status: number
  body: unknown
}

/** Asks what runs on a home of this machine, past any name server. */
export const askRunning = (
  { address, port, domain }: Running,
  host: string,
  path: string,
  token?: string,
): Promise<Answer> => ask(`http://${host}.${domain}:${port}${path}`, { token, address })

export async function ask(
  url: string,
  { limitMs = usualLimitMs, ...question }: Question & { limitMs?: number } = {},
): Promise<Answer> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    const response = await send(url, { ...question, signal })
    const text = await textOf(response)
    return { status: response.statusCode ?? 0, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
  } catch (error) {
    throw unreachable(url, signal.aborted ? new Error(`nothing within ${limitMs / 1000} s`) : error)
  }
}

/** Resolves when the answer begins; its body is the caller's to read. */
export function send(url: string, question: Question & { signal: AbortSignal }): Promise<IncomingMessage> {
  const { token, address, method = 'GET', accept = 'application/json', headers, body, signal } = question
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const begin = url.startsWith('https:') ? secureRequest : request
  const call = begin(url, {
    method,
    lookup: address ? lookupOf(address) : lookup,
    signal,
    // One connection per question: what is kept alive may have ended with the process that held it.
    agent: false,
    headers: {
      accept,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...headers,
    },
  })
  call.once('error', reject)
  call.once('response', resolve)
  call.end(text)
  return promise
}

export async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk
    if (text.length > maxBytes) throw new Error('the answer is too long')
  }
  return text
}

export const unreachable = (url: string, error: unknown): Fault =>
  new Fault('control_unreachable', `${new URL(url).origin} does not answer (${reason(error)}).`, {
    cause: error,
  })

export const lookup: LookupFunction = (hostname, options, done) => {
  if (!/(^|\.)localhost\.?$/i.test(hostname)) return systemLookup(hostname, options, done as never)
  return lookupOf('127.0.0.1')(hostname, options, done)
}

/** Whatever the name, this address. */
function lookupOf(address: string): LookupFunction {
  const family = isIP(address)
  return (_hostname, options, done) => {
    if (options.all) (done as unknown as (error: null, list: object[]) => void)(null, [{ address, family }])
    else done(null, address, family)
  }
}

const reason = (error: unknown) => (error as NodeJS.ErrnoException).code ?? (error as Error).message
