/** One Fastify per host: request ids, security headers, access by the table, errors by the catalogue, a line in the log. */
import { Fault, problemOf, problemType } from '@quarterdeck/contract'
import { isKitPath, type Kit } from '@quarterdeck/kit'
import { quarterdeck } from '@quarterdeck/kit/fastify'
import { contentSecurityPolicy, prefersHtml, problemPage } from '@quarterdeck/pages'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Caller, callerOf, type Identity } from './caller.ts'
import { faultOf } from './fault-of.ts'
import type { Route } from './route.ts'

export type App = FastifyInstance

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where nobody asked who it is: on routes that are open to all. */
    identity: Identity | null
  }
  interface FastifyContextConfig {
    guard?: Route['guard']
  }
}

/** Who may use which route. */
export interface Access {
  /** Who the caller is: nobody without credentials, a fault with bad ones. */
  identify(caller: Caller): Promise<Identity>
  /** Whether everybody may; undefined when the route is not known, and so denied. */
  isOpen(method: string, path: string): boolean | undefined
  /** Throws unless this one may. */
  admit(
    method: string,
    path: string,
    identity: Identity,
    caller: Caller,
    params: Readonly<Record<string, string>>,
  ): void
}

export interface AppOptions {
  kit: Kit
  log: Logger
  access: Access
  /** How a host, or the front page, is called from outside. */
  url(host?: string): string
  bodyBytes: number
  credentialsInTheClear: boolean
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

/** What is seen of a service: asked every few seconds, and no failure of ours when it is down. */
const isScrape = /^\/services\/[^/?]+\/metrics$/

/** A route as the contract writes it, and what matches it. */
export interface MountedRoute {
  method: string
  path: string
  pattern: RegExp
}

export async function createApp(options: AppOptions): Promise<{ app: App; routes: readonly MountedRoute[] }> {
  const { kit, log, access, credentialsInTheClear } = options
  const app = Fastify({
    bodyLimit: options.bodyBytes,
    // The edge lets what is under way come to its end, and takes nothing new.
    return503OnClosing: false,
    genReqId: request => String(request.headers['x-request-id'] ?? ''),
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  })
  const routes: MountedRoute[] = []
  const https = options.url().startsWith('https:')
  const everyReply = {
    ...securityHeaders,
    ...(https && { 'strict-transport-security': 'max-age=31536000' }),
  }

  const fail = failWith(options, everyReply)

  app.decorateRequest('identity', null)
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(fail)
  app.setNotFoundHandler((request, reply) => fail(notFound(routes, request), request, reply))

  app.addHook('onRequest', (request, reply, done) => {
    // Probes and scrapes are many and alike: they go without what is for people, and without a line in the log.
    if (isKitPath(request.url)) return done()
    reply.headers(everyReply).header('x-request-id', request.id)
    if (isScrape.test(request.url)) return done()
    const startedMs = kit.clock.monotonicMs()
    reply.raw.on('close', () => logRequest(request, reply, kit.clock.monotonicMs() - startedMs))
    done()
  })

  app.addHook('onRoute', route => {
    for (const method of [route.method].flat()) {
      const path = templateOf(route.url)
      routes.push({
        method,
        path,
        pattern: new RegExp(`^${route.url.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`),
      })
      const open = access.isOpen(method, path)
      if (open === undefined) throw new Error(`${method} ${path} on ${kit.name} has no entry in access.ts.`)
      // Open routes that ask for no identity go without the check: probes come often.
      if (open && !path.startsWith('/api/')) continue
      route.onRequest = async request => {
        const caller = callerOf(request.headers, credentialsInTheClear)
        request.identity = await access.identify(caller)
        const params = request.params as Record<string, string>
        const { guard } = request.routeOptions.config
        const arriving = { identity: request.identity, caller, params, headers: request.headers }
        guard?.before(arriving)
        access.admit(method, path, request.identity, caller, params)
        await guard?.after?.(arriving)
      }
    }
  })

  function logRequest(request: FastifyRequest, reply: FastifyReply, tookMs: number): void {
    const line = {
      request_id: request.id,
      host: kit.name,
      method: request.method,
      path: request.url.split('?', 1)[0],
      status: reply.raw.statusCode,
      ms: Math.round(tookMs),
      by: request.identity?.id,
      from: request.headers['x-forwarded-for'],
    }
    log.info(line, 'request')
  }

  await app.register(quarterdeck, { kit })
  return { app, routes }
}

/** Fastify writes `:id` where the contract writes `{id}`. */
const templateOf = (url: string) => url.replace(/:(\w+)/g, '{$1}')

function failWith({ kit, log, url }: AppOptions, headers: Record<string, string>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = faultOf(error)
    if (fault.entry.family !== 'refused') {
      log.error({ err: fault.cause ?? fault, request_id: request.id, host: kit.name }, fault.message)
    }
    const problem = problemOf(fault, url('docs'), request.id)
    reply.code(problem.status).headers(headers).header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')
    // Fastify closes it where it has not read the body, and who is still sending it would not get to read the answer.
    if (reply.getHeader('connection') === 'close' && reply.raw.shouldKeepAlive)
      reply.header('connection', 'keep-alive')
    if (fault.retryAfterS !== undefined) reply.header('retry-after', fault.retryAfterS)
    if (fault.allow.length > 0) reply.header('allow', fault.allow.join(', '))
    if (fault.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="quarterdeck"')
    if (prefersHtml(request.headers.accept) && !request.url.startsWith('/api/')) {
      return reply.type('text/html; charset=utf-8').send(problemPage(problem, url(), kit.sha))
    }
    return reply.type(problemType).send(JSON.stringify(problem))
  }
}

/** Nothing there, or only other methods. */
function notFound(routes: readonly MountedRoute[], request: FastifyRequest): Fault {
  const path = request.url.split('?', 1)[0]!
  const allow = routes.filter(route => route.pattern.test(path)).map(({ method }) => method)
  if (allow.length === 0) {
    const isToldByApi = routes.some(({ pattern }) => pattern.test(`/api${path}`))
    return new Fault(
      'not_found',
      isToldByApi
        ? `There is no page at ${path}. The API tells of it at /api${path}, and qd on the command line.`
        : `There is nothing at ${path}.`,
    )
  }
  return new Fault('method_not_allowed', `${path} does not take ${request.method}.`, { allow })
}
