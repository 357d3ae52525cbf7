/** The edge's own refusals: a problem document for programs, a page for people, and bytes for what is not HTTP. */
import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, Fault, problemOf, problemType } from '@quarterdeck/contract'
import { contentSecurityPolicy, prefersHtml, problemPage } from '@quarterdeck/pages'
import { turnOf } from './turn-of.ts'

export interface Refuser {
  refuse(fault: Fault, request: IncomingMessage, response: ServerResponse): void
  /** Ends a connection; answers on it first, if and when it is the fault's turn. `latest` is its newest answer. */
  refuseConnection(fault: Fault, socket: Duplex, latest: ServerResponse | undefined): void
}

/** For a client that is still sending to read the answer before the connection is cut. */
const lingerMs = 1000

const malformed: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ['header_too_large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive whole in time.'],
}

/** Why Node could not read a request. */
export function malformedFault(error: NodeJS.ErrnoException): Fault {
  const [code, detail] = malformed[error.code ?? ''] ?? [
    'malformed_request',
    'This is not a valid HTTP request.',
  ]
  return new Fault(code, detail, { cause: error })
}

export function refuser({ url, sha }: { url(host?: string): string; sha: string }): Refuser {
  const ending = new WeakSet<Duplex>()

  return {
    refuse(fault, request, response) {
      const requestId = requestIdOf(request)
      const problem = problemOf(fault, url('docs'), requestId)
      const html = prefersHtml(request.headers.accept)
      const body = html ? problemPage(problem, url(), sha) : JSON.stringify(problem)
      response
        .writeHead(problem.status, {
          ...headersOf(requestId, body),
          'content-type': html ? 'text/html; charset=utf-8' : problemType,
          'content-security-policy': contentSecurityPolicy,
          ...hintsOf(fault),
        })
        .end(request.method === 'HEAD' ? undefined : body)
    },

    refuseConnection(fault, socket, latest) {
      // Node tells of every further piece of what it cannot read.
      if (ending.has(socket)) return
      ending.add(socket)
      const turn = turnOf(latest)
      const bytes = turn === 'never' ? '' : bytesOf(fault, idOf(latest), url('docs'))
      if (turn === 'after') latest?.once('finish', () => end(socket, bytes))
      // A request that comes late must not be carried out after all: nothing more of it is read.
      else end(socket, bytes, fault.code !== 'request_timeout')
    },
  }
}

/** As the edge has written it into the request's headers. */
export const requestIdOf = ({ headers }: IncomingMessage) => String(headers['x-request-id'])

/** The refused request's own, if it got as far as having one. */
const idOf = (latest: ServerResponse | undefined) =>
  latest?.req.complete === false ? requestIdOf(latest.req) : randomUUIDv7()

function bytesOf(fault: Fault, requestId: string, docsUrl: string): string {
  const problem = problemOf(fault, docsUrl, requestId)
  const body = JSON.stringify(problem)
  const headers = { ...headersOf(requestId, body), 'content-type': problemType, connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

function end(socket: Duplex, bytes: string, lingers = true): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const limit = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(limit))
  socket.end(bytes, () => {
    if (!lingers) socket.destroy()
  })
}

/** Ends a connection that was answered on; what the client still sends is read, so that it gets to read the answer. */
export function letGo(socket: Duplex): void {
  socket.resume()
  end(socket, '')
}

const headersOf = (requestId: string, body: string) => ({
  'content-length': Buffer.byteLength(body),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

function hintsOf({ retryAfterS, allow }: Fault): OutgoingHttpHeaders {
  const hints: OutgoingHttpHeaders = {}
  if (retryAfterS !== undefined) hints['retry-after'] = String(retryAfterS)
  if (allow.length > 0) hints.allow = allow.join(', ')
  return hints
}
