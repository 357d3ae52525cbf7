/** A kept connection that the project closes just as a request goes out on it. Such a request can be sent again, once. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { hasBody } from './hop-headers.ts'

const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

/** Tells, of an error that `outgoing` will meet, whether it is of this kind and the request may be sent again. */
export function staleness(
  outgoing: ClientRequest,
  request: IncomingMessage,
): (error: NodeJS.ErrnoException) => boolean {
  let readBefore = 0
  outgoing.once('socket', ({ bytesRead }) => {
    readBefore = bytesRead
  })
  return ({ code = '' }) =>
    outgoing.reusedSocket &&
    (code === 'ECONNRESET' || code === 'EPIPE') &&
    outgoing.socket?.bytesRead === readBefore &&
    isRepeatable(request)
}

/** A proxy must not repeat what is not idempotent (RFC 9110, 9.2.2), and cannot repeat what it has not kept. */
const isRepeatable = (request: IncomingMessage) =>
  idempotent.has(request.method ?? '') && !(hasBody(request) && request.readableDidRead)
