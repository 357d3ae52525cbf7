/**
 * Requests to services of others. Addresses are looked at where they are used, when the name has been looked up: nothing
 * link-local is asked (clouds give out credentials there), and in the clear only what is near. No redirect is followed:
 * what is sent is for this address.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns'
import { type IncomingHttpHeaders, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isMetadataHost } from '@quarterdeck/contract'
import { again, never, type Outcome, sent } from './channel.ts'

const usualLimitMs = 15_000
const longestAnswer = 1024 * 1024
/** Longer than this nobody waits for a service. */
export const longestWaitMs = 3_600_000

export interface Outgoing {
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  limitMs?: number
  ended: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The address may not be asked; nothing was sent. */
export class AddressRefused extends Error {}

export function ask(address: string, outgoing: Outgoing): Promise<Answer> {
  const { method = 'POST', headers, body, limitMs = usualLimitMs, ended } = outgoing
  const url = new URL(address)
  const inTheClear = url.protocol === 'http:'
  const signal = AbortSignal.any([ended, AbortSignal.timeout(limitMs)])
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const objection = isIP(host) > 0 ? objectionTo(host, inTheClear) : undefined
  if (objection) throw new AddressRefused(objection)
  const request = (inTheClear ? overHttp : overHttps)(
    url,
    {
      method,
      signal,
      lookup: checkedLookup(inTheClear),
      headers: {
        'user-agent': 'quarterdeck',
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
        ...headers,
      },
    },
    response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('error', reject)
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > longestAnswer) response.destroy(new Error('the answer is too long'))
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    },
  )
  request.on('error', reject)
  request.end(body)
  return promise
}

const checkedLookup =
  (inTheClear: boolean): LookupFunction =>
  (host, options, done) => {
    const give = (addresses: LookupAddress[]) => {
      const objection = addresses.map(({ address }) => objectionTo(address, inTheClear)).find(Boolean)
      if (objection) return done(new AddressRefused(objection), '')
      const [first] = addresses
      if (options.all) (done as unknown as (error: null, list: LookupAddress[]) => void)(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    }
    // Resolvers do not all know that these are this machine (RFC 6761).
    if (/(^|\.)localhost$/i.test(host)) return give([{ address: '127.0.0.1', family: 4 }])
    lookUp(host, { all: true }, (error, addresses) => (error ? done(error, '') : give(addresses)))
  }

const refused = new BlockList()
refused.addSubnet('169.254.0.0', 16)
refused.addSubnet('fe80::', 10, 'ipv6')
refused.addSubnet('0.0.0.0', 8)
refused.addAddress('::', 'ipv6')
refused.addSubnet('224.0.0.0', 3)
refused.addSubnet('ff00::', 8, 'ipv6')

const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addSubnet('100.64.0.0', 10)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')

/** Why an address is not asked. */
export function objectionTo(address: string, inTheClear: boolean): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isMetadataHost(address) || refused.check(address, family))
    return `${address} is no address of a service`
  if (inTheClear && !near.check(address, family)) return `${address} is far away: use https`
  return undefined
}

/** Sends a message, and says what the answer means; `name` is how the service is called in problems. */
export async function deliver(address: string, name: string, outgoing: Outgoing): Promise<Outcome> {
  try {
    return outcomeOf(await ask(address, outgoing), name)
  } catch (error) {
    return unreachable(error, name)
  }
}

/** Nothing of the address stands in it: it may be a secret. */
export function unreachable(error: unknown, name: string): Outcome {
  if (error instanceof AddressRefused) return again(`${name}: ${error.message}.`, { lasting: true })
  const { name: kind, code } = error as NodeJS.ErrnoException
  const isLate = kind === 'TimeoutError' || kind === 'AbortError'
  return again(
    `${name} cannot be reached: ${isLate ? 'no answer in time' : (code ?? 'the connection broke')}.`,
  )
}

const lastingReasons: Record<number, string> = {
  401: 'the credentials are wrong or were revoked',
  403: 'it does not allow that any more',
  404: 'there is nothing at that address any more',
  410: 'there is nothing at that address any more',
}

function outcomeOf({ status, headers }: Answer, name: string): Outcome {
  if (status >= 200 && status < 300) return sent()
  const answered = `${name} answered ${status}`
  if (status === 429) return again(`${answered}: too many messages.`, { afterMs: askedToWaitMs(headers) })
  if (status >= 500 || status === 408) return again(`${answered}.`, { afterMs: askedToWaitMs(headers) })
  if (status < 400) return again(`${answered}: it has moved. Redirects are not followed.`, { lasting: true })
  const reason = lastingReasons[status]
  return reason
    ? again(`${answered}: ${reason}.`, { lasting: true })
    : never(`${answered}: it does not take the message.`)
}

/** `Retry-After` in seconds or as a date. */
export function askedToWaitMs(headers: IncomingHttpHeaders): number {
  const after = headers['retry-after'] ?? ''
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
  return Math.min(Math.max(ms || 0, 0), longestWaitMs)
}
