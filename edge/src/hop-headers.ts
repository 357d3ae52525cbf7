/**
 * What of a message's headers goes on to the next hop (RFC 9110, 7.6.1). Lists are as on the wire, name and value by
 * turns, so that case, order and repetition are kept.
 */
import type { IncomingMessage } from 'node:http'
import { requestIdOf } from './refuse.ts'

/** They speak of one connection. HTTP2-Settings and Proxy, which CGI takes for a setting, are asked for by nobody honest. */
const ofOneHop = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** On these the length and the receiver of a message depend: no Connection header can have them taken away. */
const neverNamed = new Set(['host', 'content-length'])

/** Only the edge says who asks, for whom and under which id. */
const saidByTheEdge = new Set(['host', 'forwarded', 'x-real-ip', 'x-request-id'])

/** Of these Node writes no length when there is no body. */
const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** For the project, with what the edge knows of the client in place of what the client says of itself. */
export function requestHeaders(request: IncomingMessage): string[] {
  const { headers, rawHeaders, method = 'GET' } = request
  // An absolute target may have changed it: it is what was routed by.
  const host = headers.host ?? ''
  const sent = [
    ...['Host', host],
    ...endToEnd(rawHeaders, name => saidByTheEdge.has(name) || name.startsWith('x-forwarded-')),
    ...['X-Forwarded-For', String(headers['x-forwarded-for'])],
    ...['X-Forwarded-Proto', String(headers['x-forwarded-proto'])],
    ...['X-Forwarded-Host', host],
    ...['X-Request-Id', requestIdOf(request)],
  ]
  if (headers['transfer-encoding'] !== undefined) sent.push('Transfer-Encoding', 'chunked')
  else if (headers['content-length'] === undefined && !bodiless.has(method)) sent.push('Content-Length', '0')
  return sent
}

/** For the client: the project's own, and the id of the request if the project does not tell one. */
export function responseHeaders({ rawHeaders }: IncomingMessage, requestId: string): string[] {
  const sent = endToEnd(rawHeaders)
  const told = sent.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'x-request-id')
  return told ? sent : [...sent, 'X-Request-Id', requestId]
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function endToEnd(
  rawHeaders: readonly string[],
  isDropped: (name: string) => boolean = () => false,
): string[] {
  const named = namedByConnection(rawHeaders)
  const kept: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = asServicesRead(rawHeaders[i]!)
    const ofThisHop = ofOneHop.has(name) || name.startsWith('proxy-') || named.has(name)
    if (!ofThisHop && !isDropped(name) && !isForged(rawHeaders[i]!, name))
      kept.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
  return kept
}

function namedByConnection(rawHeaders: readonly string[]): ReadonlySet<string> {
  const named = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]!.toLowerCase() !== 'connection') continue
    for (const option of rawHeaders[i + 1]!.split(',')) named.add(asServicesRead(option.trim()))
  }
  for (const name of neverNamed) named.delete(name)
  return named
}

/** CGI and WSGI cannot tell X_Forwarded_For from X-Forwarded-For. */
const asServicesRead = (name: string) => name.toLowerCase().replaceAll('_', '-')

const isForged = (raw: string, name: string) => neverNamed.has(name) && raw.includes('_')
