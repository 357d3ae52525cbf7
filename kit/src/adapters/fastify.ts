/** The kit on Fastify: `await app.register(quarterdeck, { name: 'hello' })`. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

/** Options of a new kit, or a kit that was made before. */
export type QuarterdeckOptions = KitOptions | { kit: Kit }

/** To be registered first: what the hooks of earlier plugins refuse is not counted. */
export async function quarterdeck(app: FastifyInstance, options: QuarterdeckOptions): Promise<void> {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { clock, metrics } = kit
  const endpointOf = endpointReader(app)

  // Not onResponse: Fastify does not call it for a client that left before the end, as every reader of a stream does.
  app.addHook('onRequest', (request, reply, done) => {
    const startedMs = clock.monotonicMs()
    reply.raw.on('close', () =>
      metrics.observe(request.method, endpointOf(request), (clock.monotonicMs() - startedMs) / 1000),
    )
    done()
  })

  app.get('/healthz', (_request, reply) => send(reply, kit.healthz()))
  app.get('/readyz', async (_request, reply) => send(reply, await kit.readyz()))
  app.get('/version', (_request, reply) => send(reply, kit.version()))
  app.get('/metrics', async (request, reply) => send(reply, await kit.metricsText(request.headers.accept)))
}

// The hook must see the routes of the whole application, so the plugin gets no scope of its own.
Object.assign(quarterdeck, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'quarterdeck',
})

/** Asking Fastify for a request's route is dear. A path that is a route's whole template needs no asking. */
function endpointReader(app: FastifyInstance): (request: FastifyRequest) => string {
  const plainPaths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    if (/[:*]/.test(url)) return
    for (const name of [method].flat()) plainPaths.set(name, (plainPaths.get(name) ?? new Set()).add(url))
  })
  return request => {
    if (request.is404) return unmatchedEndpoint
    if (plainPaths.get(request.method)?.has(request.url)) return request.url
    return request.routeOptions.url ?? unmatchedEndpoint
  }
}

const send = (reply: FastifyReply, answer: Answer): FastifyReply =>
  reply
    .code(answer.status)
    .header('content-type', answer.type)
    .header('cache-control', 'no-store')
    .send(answer.body)
