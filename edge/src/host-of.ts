/** Which host a request is for. */
import type { IncomingMessage } from 'node:http'

/** In lower case, without port and final dot; an IPv6 address without brackets. Undefined when there is none or it is malformed. */
export function hostOf(request: IncomingMessage): string | undefined {
  const authority = authorityOf(request)
  if (hostHeaders(request) > 1) return undefined
  const [, bracketed, name] =
    authority.match(/^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-][a-z0-9._-]*))(?::\d{0,5})?$/i) ?? []
  return bracketed?.toLowerCase() ?? name?.toLowerCase().replace(/\.$/, '')
}

/**
 * With an absolute request target, which proxies send, that is what counts (RFC 9112, 3.2.2). The request is rewritten,
 * so that whoever handles it sees no other host.
 */
function authorityOf(request: IncomingMessage): string {
  if (request.url?.startsWith('/')) return request.headers.host ?? ''
  const [, authority, rest = ''] = request.url?.match(/^https?:\/\/([^/?#]*)(.*)$/i) ?? []
  if (authority === undefined) return request.headers.host ?? ''
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  request.headers.host = authority
  return authority
}

/** Of two the next program might believe the other one (RFC 9112, 3.2). */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count
}
