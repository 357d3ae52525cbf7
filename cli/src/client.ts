/** Asks a running environment. `*.localhost` is this machine, whatever the resolver says (RFC 6761). */
import { lookup as systemLookup } from 'node:dns'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Fault } from '@quarterdeck/contract'
import type { Running } from '@quarterdeck/control'

const limitMs = 5000
const maxBytes = 10 * 1024 * 1024

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
  { token, address }: { token?: string | undefined; address?: string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const send = url.startsWith('https:') ? secureRequest : request
  const call = send(url, {
    lookup: address ? lookupOf(address) : lookup,
    timeout: limitMs,
    signal: AbortSignal.timeout(limitMs),
    headers: { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  })
  call.once('error', reject)
  call.once('response', response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', chunk => {
      text += chunk
      if (text.length > maxBytes) call.destroy(new Error('the answer is too long'))
    })
    response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
    response.once('error', reject)
  })
  call.end()
  try {
    const { status, text } = await promise
    return { status, body: JSON.parse(text) as unknown }
  } catch (error) {
    throw new Fault('control_unreachable', `${new URL(url).origin} does not answer (${reason(error)}).`, {
      cause: error,
    })
  }
}

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
