/** Passes a request on to a project's web process, and the answer back. Nothing is kept: both ways are streams. */
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingMessage,
  type ServerResponse,
} from 'node:http'
import type { Readable } from 'node:stream'
import type { Fault } from '@quarterdeck/contract'
import { joinSockets, type Upgrade, upgradeHeaders } from './forward-upgrade.ts'
import { hasBody, requestHeaders, responseHeaders } from './hop-headers.ts'
import { limitWaiting } from './limit-waiting.ts'
import type { ProjectRoute, Target } from './project-route.ts'
import { requestIdOf } from './refuse.ts'
import { staleness } from './stale-connection.ts'
import { absent, errorWith, upstreamFault } from './upstream-fault.ts'

/**
 * Shorter than servers in use keep an idle connection (gunicorn: 2 s), because one that is closed while a request is on its
 * way costs the request.
 */
const idleMs = 1000

export interface ForwarderOptions {
  /** For the answer to begin. */
  upstreamTimeoutMs: number
  /** There is no answer, so that the edge has to give one. */
  onFault(fault: Fault, exchange: Exchange): void
  /** The answer ended before it was whole, and the client has been cut off. */
  onBrokenAnswer(error: Error, exchange: Exchange): void
}

/** One request of a client, and the answer to it. */
export interface Exchange {
  readonly project: ProjectRoute
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** For a request to change the protocol. */
  readonly upgrade: Upgrade | undefined
}

export interface Forwarder {
  forward(exchange: Exchange): void
  /** Closes the connections that are kept for the next request. */
  close(): void
}

export function forwarder({ upstreamTimeoutMs, onFault, onBrokenAnswer }: ForwarderOptions): Forwarder {
  // Without a limit on those in use: streams hold theirs for hours, and nobody may have to wait for them.
  const keptAlive = new Agent({ keepAlive: true, maxFreeSockets: 64, timeout: idleMs })

  function attempt({ address, port }: Target, exchange: Exchange, agent: Agent | false): void {
    const { project, request, response, upgrade } = exchange
    const outgoing = httpRequest({
      agent,
      host: address,
      port,
      method: request.method,
      path: request.url,
      headers: [...requestHeaders(request), ...(upgrade ? upgradeHeaders(request) : [])],
    })
    const isStale = staleness(outgoing, request)
    limitWaiting(outgoing, request, upstreamTimeoutMs)
    outgoing.on('continue', () => {
      if (request.httpVersion === '1.1') response.writeContinue()
    })
    outgoing.on('response', incoming => answer(exchange, incoming))
    outgoing.on('upgrade', (incoming, socket, head) => {
      if (!begin(exchange, incoming, socket, upgrade && upgradeHeaders(incoming)) || !upgrade) return
      response.flushHeaders()
      joinSockets(upgrade, { socket, head })
    })
    outgoing.on('error', error => {
      // A client that has left needs no answer; an answer that has begun fails by itself.
      if (hasLeft(response) || response.headersSent) return
      request.unpipe(outgoing)
      if (isStale(error)) attempt({ address, port }, exchange, false)
      else onFault(upstreamFault(project.name, error), exchange)
    })
    // If the answer came before all of the request, what is left of that goes nowhere.
    outgoing.on('close', () => {
      if (response.headersSent && hasBody(request)) request.unpipe(outgoing).resume()
    })
    response.on('close', () => outgoing.destroy())
    send(request, outgoing)
  }

  function answer(exchange: Exchange, incoming: IncomingMessage): void {
    const { response } = exchange
    if (!begin(exchange, incoming, incoming)) return
    flushSoon(response)
    incoming.on('error', error => {
      // After the client has left it is our own doing.
      if (!hasLeft(response)) onBrokenAnswer(error, exchange)
      response.destroy()
    })
    // Not by `pipeline`, which makes an AbortController and an error for each request.
    incoming.pipe(response)
  }

  /** False if the answer's head is none that could be passed on; then `source` is let go. */
  function begin(
    exchange: Exchange,
    incoming: IncomingMessage,
    source: Readable,
    more: string[] = [],
  ): boolean {
    const { project, request, response } = exchange
    const { statusCode = 0, statusMessage } = incoming
    try {
      // Such as a 101 that was not asked for.
      if (statusCode < 200 && more.length === 0) throw errorWith('ERR_STATUS', `status ${statusCode}`)
      const headers = [...responseHeaders(incoming, requestIdOf(request)), ...more]
      response.sendDate = false
      response.writeHead(statusCode, statusMessage, headers)
      return true
    } catch (error) {
      source.destroy()
      onFault(upstreamFault(project.name, error as Error), exchange)
      return false
    }
  }

  return {
    forward(exchange) {
      const { project, upgrade } = exchange
      if (project.target) attempt(project.target, exchange, upgrade ? false : keptAlive)
      else onFault(absent(project.name), exchange)
    },
    close: () => keptAlive.destroy(),
  }
}

function send(request: IncomingMessage, outgoing: ClientRequest): void {
  if (!hasBody(request)) {
    outgoing.end()
    return
  }
  flushSoon(outgoing)
  request.pipe(outgoing)
}

/** The response itself hears of it a little later. */
const hasLeft = ({ destroyed, socket }: ServerResponse) => destroyed || socket?.destroyed === true

/** Headers wait for what comes with them in the same turn, which saves a packet, but not for what comes later. */
function flushSoon(message: OutgoingMessage): void {
  setImmediate(() => {
    if (!message.writableEnded && !message.destroyed) message.flushHeaders()
  })
}
