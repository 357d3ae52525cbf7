/** Requests to change the protocol, such as to WebSocket: after the project's 101 two sockets are joined to one. */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { hasBody } from './hop-headers.ts'
import { letGo } from './refuse.ts'

/** For a peer that has vanished without a word to be noticed. */
const keepAliveMs = 60_000

/** One side of a connection that leaves HTTP, and what came on it after the headers. */
export interface Upgrade {
  readonly socket: Socket
  readonly head: Buffer
}

/**
 * Another protocol that is HTTP again would let the client write its own X-Forwarded-For behind the edge's back. To ignore
 * it is allowed (RFC 9110, 7.8), and browsers do not ask for it.
 */
const httpAgain = /(^|[\s,])(h2|http|tls)/i

/** Whether the request can change the protocol; if not it is a request like any other. */
export const canUpgrade = (request: IncomingMessage, latest: ServerResponse | undefined): boolean =>
  request.httpVersion === '1.1' &&
  !httpAgain.test(request.headers.upgrade ?? '') &&
  !hasBody(request) &&
  // Of a pipeline: earlier requests still need the socket for their answers.
  (latest === undefined || latest.writableFinished)

/**
 * Has the server treat them as requests, with an answer to write to as long as the protocol is not changed; until the
 * connection closes they are under way. Returns where to find the socket.
 */
export function upgradesOf(server: Server): (request: IncomingMessage) => Upgrade | undefined {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>()
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket
    // Node has let go of it, and of its errors.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.on('finish', () => letGo(socket))
    upgrades.set(request, { socket, head })
    server.emit('request', request, response)
  })
  return request => upgrades.get(request)
}

export const upgradeHeaders = ({ headers }: IncomingMessage): string[] => [
  ...['Connection', 'Upgrade'],
  ...['Upgrade', headers.upgrade ?? ''],
]

/** What one side sends the other gets, until both have ended; each may end before the other. */
export function joinSockets(client: Upgrade, project: Upgrade): void {
  for (const [from, to] of [
    [client, project],
    [project, client],
  ] as const) {
    from.socket.setTimeout(0)
    from.socket.setNoDelay(true)
    from.socket.setKeepAlive(true, keepAliveMs)
    from.socket.allowHalfOpen = true
    from.socket.on('error', () => from.socket.destroy())
    from.socket.on('close', () => {
      // What it sent before it ended is still to be delivered; if it broke off, so does the other.
      if (from.socket.readableEnded) to.socket.destroySoon()
      else to.socket.resetAndDestroy()
    })
    if (from.head.length > 0) to.socket.write(from.head)
    from.socket.pipe(to.socket)
  }
}
