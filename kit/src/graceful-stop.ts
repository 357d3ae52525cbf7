/** Ends an HTTP server without breaking a request: nothing new, `Connection: close` on what is under way, then a limit. */
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** A connection that was opened just now has its request on the way. */
const freshMs = 1000

export interface GracefulServer {
  /** Resolves when the last request was answered, or when the limit cut off what was left. Says how many that were. */
  stop(limitMs: number): Promise<{ cutOff: number }>
  /** The answer to the newest request of a connection; undefined before the first. */
  latestOn(socket: Duplex): ServerResponse | undefined
}

export function gracefulServer(server: Server): GracefulServer {
  // By connection, not by request: noting the newest answer is all that a request costs.
  const latest = new Map<Duplex, ServerResponse | undefined>()
  const openedMs = new WeakMap<Duplex, number>()
  let stopping: Promise<{ cutOff: number }> | undefined

  server.on('connection', (socket: Duplex) => {
    latest.set(socket, undefined)
    openedMs.set(socket, performance.now())
    socket.once('close', () => latest.delete(socket))
  })
  server.prependListener('request', (request, response: ServerResponse) => {
    latest.set(request.socket, response)
    if (stopping) response.setHeader('connection', 'close')
  })

  const underWay = () => [...latest.values()].filter(response => response && !response.writableFinished)

  function closeUnused(): void {
    server.closeIdleConnections()
    // Node takes a connection on which nothing was ever said, as browsers open ahead of need, for a busy one.
    for (const socket of latest.keys()) {
      const isFresh = performance.now() - openedMs.get(socket)! < freshMs
      if (!isFresh && (socket as Partial<{ bytesRead: number }>).bytesRead === 0) socket.destroy()
    }
  }

  async function stop(limitMs: number): Promise<{ cutOff: number }> {
    let cutOff = 0
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const response of underWay()) {
      if (response?.headersSent === false) response.setHeader('connection', 'close')
    }
    server.closeIdleConnections()
    const limit = setTimeout(() => {
      cutOff = underWay().length
      for (const socket of latest.keys()) socket.destroy()
    }, limitMs)
    // A connection that was busy when the stop began turns idle later: look again until none is left.
    const sweep = setInterval(closeUnused, 100)
    await closed
    clearTimeout(limit)
    clearInterval(sweep)
    return { cutOff }
  }

  return { stop: limitMs => (stopping ??= stop(limitMs)), latestOn: socket => latest.get(socket) }
}
