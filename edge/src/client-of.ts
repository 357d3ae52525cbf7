/**
 * Who a request comes from. What proxies say of that is believed only of those that were named; a claim from anyone else
 * is dropped. A proxy on this machine that was not named still takes away the trust that this machine enjoys.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

const unknown = 'unknown'

/** Each is a proxy's sign that it asks for someone else. */
const forwardingHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
]

export interface Client {
  /** An IP address; `unknown` where only an unbelieved proxy knows it. */
  readonly address: string
  readonly scheme: 'http' | 'https'
  readonly loopback: boolean
  /** Given by a believed proxy. */
  readonly requestId: string | undefined
}

export function clientReader(trustedProxies: readonly string[]): (request: IncomingMessage) => Client {
  const trusted = networks(trustedProxies)
  return request => {
    const peer = plain(request.socket.remoteAddress ?? '')
    const encrypted = 'encrypted' in request.socket
    const believed = trusted !== undefined && contains(trusted, peer)
    const address = believed
      ? addressBehind(request, peer, trusted)
      : isForwarded(request) && isLoopback(peer)
        ? unknown
        : peer
    const https = encrypted || (believed && request.headers['x-forwarded-proto'] === 'https')
    return {
      address,
      scheme: https ? 'https' : 'http',
      loopback: isLoopback(address),
      requestId: believed ? acceptableId(request.headers['x-request-id']) : undefined,
    }
  }
}

/** The nearest address that is not itself a trusted proxy. What is loopback to another machine is no address here. */
function addressBehind(request: IncomingMessage, peer: string, trusted: BlockList): string {
  const chain = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(part => plain(part.trim()))
    .filter(part => part !== '')
  if (chain.length === 0) return isForwarded(request) ? unknown : peer
  const nearest = chain.findLast(address => !contains(trusted, address)) ?? chain[0]!
  const elsewhere = isLoopback(nearest) && ![peer, ...chain].every(isLoopback)
  return isIP(nearest) > 0 && !elsewhere ? nearest : unknown
}

const isForwarded = ({ headers }: IncomingMessage) =>
  forwardingHeaders.some(name => headers[name] !== undefined)

const acceptableId = (id: string | string[] | undefined) =>
  typeof id === 'string' && /^[\w.-]{1,64}$/.test(id) ? id : undefined

function networks(list: readonly string[]): BlockList | undefined {
  if (list.length === 0) return undefined
  const networks = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return networks
}

const contains = (list: BlockList, address: string) =>
  isIP(address) > 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** An IPv4 address that came in on an IPv6 socket, as IPv4. */
const plain = (address: string) => address.replace(/^::ffff:(?=[\d.]+$)/i, '')

const isLoopback = (address: string) => address.startsWith('127.') || address === '::1'
