/** What happens to a request: it goes to one of control's hosts, to a project, or is answered here. */
import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { Fault, isMachinePath } from '@quarterdeck/contract'
import type { Kit } from '@quarterdeck/kit'
import { countRequest } from '@quarterdeck/kit/node'
import type { Logger } from 'pino'
import { clientReader } from './client-of.ts'
import { type Exchange, forwarder } from './forward.ts'
import type { Upgrade } from './forward-upgrade.ts'
import { frontPage } from './front-page.ts'
import { hostOf } from './host-of.ts'
import { serveOwnHost } from './own-host.ts'
import { type Refuser, requestIdOf } from './refuse.ts'
import type { Routing } from './routing.ts'
import { asksForStatus, serveStaleStatus } from './stale-status.ts'

/** One name for all: how each project fares is told by its own metrics. */
const projectEndpoint = 'project'

/** Which of control's hosts has the API. */
const apiHost = 'admin'

const defaultUpstreamTimeoutMs = 60_000

export interface HandlerOptions {
  config: {
    domain: string
    trustedProxies: readonly string[]
    upstreamTimeoutMs?: number
    statusCopy?: string
    log: Logger
  }
  kit: Kit
  routing: Routing
  refusals: Refuser
  url(host?: string): string
  /** The socket of a request that may change the protocol. */
  upgradeOf(request: IncomingMessage): Upgrade | undefined
}

export interface RequestHandler {
  onRequest(request: IncomingMessage, response: ServerResponse): void
  /** When no more requests come. */
  close(): void
}

export function requestHandler({
  config,
  kit,
  routing,
  refusals,
  url,
  upgradeOf,
}: HandlerOptions): RequestHandler {
  const { domain, trustedProxies, upstreamTimeoutMs = defaultUpstreamTimeoutMs, statusCopy, log } = config
  const clientOf = clientReader(trustedProxies)
  const projects = forwarder({
    upstreamTimeoutMs,
    onFault: (fault, { request, response }) => fail(fault, request, response),
    onBrokenAnswer: (err, { project, request }) =>
      log.warn({ err, request_id: requestIdOf(request) }, `the project ${project.name} broke off its answer`),
  })

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    // Whoever handles the request finds in its headers who asks, and under which id.
    const { address, scheme, loopback, requestId = randomUUIDv7() } = clientOf(request)
    request.headers['x-request-id'] = requestId
    request.headers['x-forwarded-for'] = address
    request.headers['x-forwarded-proto'] = scheme
    const host = hostOf(request)
    const isBare = isOwn(host, request)
    const upstream = isBare ? routing.atBareHost(request.url ?? '') : routing.upstream(host)
    const project = routing.project(host)
    const objection = objectionTo(request)
    try {
      if (objection) refuse(objection, request, response)
      else if (upstream && (loopback || !upstream.inside)) upstream.handle(request, response)
      else if (project) passOn({ project, request, response, upgrade: upgradeOf(request) })
      else if (isBare) answerOwn(request, response)
      else if (isStatus(host) && asksForStatus(request)) answerStale(host, request, response)
      else refuse(notServed(host), request, response)
    } catch (error) {
      fail(error, request, response)
    }
  }

  function passOn(exchange: Exchange): void {
    countRequest(kit, exchange.request, exchange.response, projectEndpoint)
    projects.forward(exchange)
  }

  function isOwn(host: string | undefined, { httpVersion }: IncomingMessage): boolean {
    if (host === undefined) return httpVersion === '1.0'
    return host === domain || host === 'localhost' || isIP(host) > 0
  }

  /** What machines call goes to the API, by whatever name they reach the machine. */
  function answerOwn(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').split('?', 1)[0]!
    const api = routing.named(apiHost)
    if (!isMachinePath(path)) answerSelf(request, response)
    else if (api) api.handle(request, response)
    else refuse(starting(), request, response)
  }

  function answerSelf(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('x-request-id', requestIdOf(request))
    const { upstreams, projects } = routing
    const front = () => frontPage({ upstreams, projects, url, sha: kit.sha })
    serveOwnHost(kit, request, response, front).catch(error => fail(error, request, response))
  }

  const isStatus = (host: string | undefined) => !routing.started && host === `status.${domain}`

  function answerStale(host: string | undefined, request: IncomingMessage, response: ServerResponse): void {
    const copy =
      statusCopy === undefined ? Promise.resolve(false) : serveStaleStatus(statusCopy, request, response)
    countRequest(kit, request, response)
    copy
      .then(isServed => isServed || fail(notServed(host), request, response))
      .catch(error => fail(error, request, response))
  }

  function notServed(host: string | undefined): Fault {
    if (host === undefined) return new Fault('malformed_request', 'The Host header is missing or malformed.')
    if (!routing.started) return starting()
    return new Fault('unknown_host', `Nothing is served under the name ${host}.`)
  }

  /** What no host has seen is counted here. */
  function refuse(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
    countRequest(kit, request, response)
    fail(fault, request, response)
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const fault =
      error instanceof Fault
        ? error
        : new Fault('internal', 'Something failed that should not have.', { cause: error })
    const request_id = requestIdOf(request)
    if (fault.code === 'internal') log.error({ err: error, request_id }, 'the edge failed')
    else if (fault.cause) log.warn({ err: fault.cause, request_id }, fault.message)
    if (response.headersSent) response.destroy()
    else refusals.refuse(fault, request, response)
  }

  return { onRequest, close: projects.close }
}

const starting = () => new Fault('unavailable', 'The environment is starting.', { retryAfterS: 1 })

export const notAPath = () => new Fault('malformed_request', 'The request target is not a path.')

/** Whatever host it is for. */
function objectionTo({ url, headers }: IncomingMessage): Fault | undefined {
  const { expect, 'transfer-encoding': coding = 'chunked' } = headers
  if (expect !== undefined && !/\b100-continue\b/i.test(expect))
    return new Fault('expectation_failed', 'Only 100-continue can be expected.')
  if (!url?.startsWith('/')) return notAPath()
  // Node takes off the chunks and leaves the rest, of which the next program would not know.
  if (!/^chunked$/i.test(coding))
    return new Fault('malformed_request', 'The only transfer coding that is taken is chunked.')
  return undefined
}
