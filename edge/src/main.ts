/** The gateway: owns the public port from the start and routes by Host. */
import { gracefulServer, Kit } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { canUpgrade, upgradesOf } from './forward-upgrade.ts'
import { hostOf } from './host-of.ts'
import type { ProjectRoute } from './project-route.ts'
import { listenOn, publicServer } from './public-server.ts'
import { malformedFault, refuser } from './refuse.ts'
import { notAPath, requestHandler } from './request-handler.ts'
import { Routing } from './routing.ts'
import type { Upstream } from './upstream.ts'

export type { ProjectRoute } from './project-route.ts'
export type { Upstream } from './upstream.ts'

export interface EdgeConfig {
  listen: { address: string; port: number }
  domain: string
  trustedProxies: readonly string[]
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** For a project to begin its answer. Default: 60 s. */
  upstreamTimeoutMs?: number
  /** The copy of status.json that control leaves on disk, for while it is not there. */
  statusCopy?: string
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
  /** From now on the projects are these, and there. What is under way stays where it is. Cheap, at any time. */
  route(projects: readonly ProjectRoute[]): void
  /** Not ready from now on. */
  beginStop(): void
  /** Takes nothing new, and resolves when what was under way is answered or the limit has cut it off. */
  stop(limitMs: number): Promise<{ cutOff: number }>
}

export async function start(config: EdgeConfig): Promise<Edge> {
  const { listen, domain, log, root } = config
  const routing = new Routing(domain)
  const kit = new Kit({
    name: 'edge',
    root,
    checks: {
      control: () => {
        if (!routing.started) throw new Error('control is still starting')
      },
    },
    onReadinessChange: ({ ok, checks }) =>
      ok ? log.info('the edge is ready') : log.warn({ checks }, 'the edge is not ready'),
  })
  const server = publicServer(
    config,
    request =>
      Boolean(routing.project(hostOf(request))) && canUpgrade(request, graceful.latestOn(request.socket)),
  )
  const graceful = gracefulServer(server)
  const port = await listenOn(server, listen)
  const url = (host?: string) => config.url(port, host)
  const refusals = refuser({ url, sha: kit.sha })
  const handler = requestHandler({ config, kit, routing, url, refusals, upgradeOf: upgradesOf(server) })

  server.on('request', handler.onRequest)
  // Node sets requests with an Expect apart. An unknown one is refused like any other request.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('checkContinue', (request, response) => {
    // A project says itself whether it wants the body.
    if (!routing.project(hostOf(request))) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('clientError', (error, socket) =>
    refusals.refuseConnection(malformedFault(error), socket, graceful.latestOn(socket)),
  )
  server.on('connect', (_request, socket) => {
    // Node has let go of it, and of its errors.
    socket.on('error', () => socket.destroy())
    refusals.refuseConnection(notAPath(), socket, graceful.latestOn(socket))
  })
  // Such as a connection that cannot be accepted because too many files are open.
  server.on('error', error => log.error({ err: error }, 'the edge’s server failed'))

  return {
    port,
    serve: upstreams => routing.serve(upstreams),
    route: projects => routing.route(projects),
    beginStop: () => kit.beginStop(),
    async stop(limitMs) {
      const ended = await graceful.stop(limitMs)
      handler.close()
      return ended
    },
  }
}
