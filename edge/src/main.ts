/** The gateway: owns the public port from the start and routes by Host. */
import { randomUUIDv7 } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { Fault } from '@quarterdeck/contract'
import { gracefulServer, Kit } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { clientReader } from './client-of.ts'
import { frontPage } from './front-page.ts'
import { hostOf } from './host-of.ts'
import { serveOwnHost } from './own-host.ts'
import { malformedFault, refuser, requestIdOf } from './refuse.ts'
import type { Upstream } from './upstream.ts'

export type { Upstream } from './upstream.ts'

export interface EdgeConfig {
  listen: { address: string; port: number }
  domain: string
  trustedProxies: readonly string[]
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** Where the code lies, to tell its commit. */
  root: string
  log: Logger
  /** How a host, or the front page, is called from outside, once it is known which port is listened on. */
  url(listeningPort: number, host?: string): string
}

export interface Edge {
  readonly port: number
  /** From now on requests go to these. Until then the answer is that it is starting. */
  serve(upstreams: readonly Upstream[]): void
  /** Not ready from now on. */
  beginStop(): void
  /** Takes nothing new, and resolves when what was under way is answered or the limit has cut it off. */
  stop(limitMs: number): Promise<{ cutOff: number }>
}

export async function start(config: EdgeConfig): Promise<Edge> {
  const { listen, domain, log, root } = config
  let upstreams: readonly Upstream[] | undefined
  let table = new Map<string, Upstream>()
  const kit = new Kit({
    name: 'edge',
    root,
    checks: {
      control: () => {
        if (!upstreams) throw new Error('control is still starting')
      },
    },
    onReadinessChange: ({ ok, checks }) =>
      ok ? log.info('the edge is ready') : log.warn({ checks }, 'the edge is not ready'),
  })
  const clientOf = clientReader(config.trustedProxies)

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    // Whoever handles the request finds in its headers who asks, and under which id.
    const { address, scheme, loopback, requestId = randomUUIDv7() } = clientOf(request)
    request.headers['x-request-id'] = requestId
    request.headers['x-forwarded-for'] = address
    request.headers['x-forwarded-proto'] = scheme
    try {
      if (expectsMore(request)) throw new Fault('expectation_failed', 'Only 100-continue can be expected.')
      const host = hostOf(request)
      if (!request.url?.startsWith('/')) throw notAPath()
      const upstream = host === undefined ? undefined : table.get(host)
      if (upstream && (loopback || !upstream.inside)) upstream.handle(request, response)
      else answerSelf(host, request, response).catch(error => fail(error, request, response))
    } catch (error) {
      fail(error, request, response)
    }
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const fault =
      error instanceof Fault
        ? error
        : new Fault('internal', 'Something failed that should not have.', { cause: error })
    if (fault.code === 'internal')
      log.error({ err: error, request_id: requestIdOf(request) }, 'the edge failed')
    if (response.headersSent) response.destroy()
    else refusals.refuse(fault, request, response)
  }

  async function answerSelf(
    host: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.setHeader('x-request-id', requestIdOf(request))
    if (host === undefined && request.httpVersion !== '1.0') {
      throw new Fault('malformed_request', 'The Host header is missing or malformed.')
    }
    if (host === undefined || host === domain || host === 'localhost' || isIP(host) > 0) {
      return serveOwnHost(kit, request, response, () =>
        frontPage({ upstreams: upstreams ?? [], url, sha: kit.sha }),
      )
    }
    if (!upstreams) throw new Fault('unavailable', 'The environment is starting.', { retryAfterS: 1 })
    throw new Fault('unknown_host', `Nothing is served under the name ${host}.`)
  }

  // Node wants whole milliseconds, and for the headers no longer than for the request that they are part of.
  const requestTimeout = Math.ceil(config.requestTimeoutMs)
  const headersTimeout = Math.min(Math.ceil(config.headersTimeoutMs), requestTimeout)
  const server = createServer({
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
    keepAliveTimeout: 75_000,
    // A missing Host is answered by the catalogue, like everything else.
    requireHostHeader: false,
  })
  const graceful = gracefulServer(server)
  server.on('request', onRequest)
  // Node sets requests with an unknown Expect apart; they are refused like any other.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', (error, socket) =>
    refusals.refuseConnection(malformedFault(error), socket, graceful.latestOn(socket)),
  )
  server.on('connect', (_request, socket) => {
    // Node has let go of it, and of its errors.
    socket.on('error', () => socket.destroy())
    refusals.refuseConnection(notAPath(), socket, graceful.latestOn(socket))
  })

  const port = await listenOn(server, listen)
  // Such as a connection that cannot be accepted because too many files are open.
  server.on('error', error => log.error({ err: error }, 'the edge’s server failed'))
  const url = (host?: string) => config.url(port, host)
  const refusals = refuser({ url, sha: kit.sha })
  return {
    port,
    serve(list) {
      upstreams = list
      table = new Map(list.map(upstream => [`${upstream.name}.${domain}`, upstream]))
    },
    beginStop: () => kit.beginStop(),
    stop: limitMs => graceful.stop(limitMs),
  }
}

const expectsMore = ({ headers: { expect } }: IncomingMessage) =>
  expect !== undefined && !/\b100-continue\b/i.test(expect)

const notAPath = () => new Fault('malformed_request', 'The request target is not a path.')

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens on it',
  EACCES: 'this user may not use it (ports below 1024 need extra rights)',
  EADDRNOTAVAIL: 'this machine does not have that address',
}

async function listenOn(server: Server, { address, port }: EdgeConfig['listen']): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host: address, port }, resolve)
  try {
    await promise
    server.off('error', reject)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Fault('port_in_use', `Port ${port} on ${address} cannot be used: ${reasons[code] ?? code}.`, {
      cause: error,
    })
  }
  return (server.address() as AddressInfo).port
}
