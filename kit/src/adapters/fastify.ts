/** The kit on Fastify: `await app.register(quarterdeck, { name: 'hello' })`. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { endpoints } from '../endpoints.ts'
import { Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

/** Options of a new kit, or a kit that was made before. */
export type QuarterdeckOptions = KitOptions | { kit: Kit }

declare module 'fastify' {
  interface FastifyInstance {
    /** The kit, once the plugin is registered. */
    quarterdeck: Kit
  }
}

/** To be registered first: what the hooks of earlier plugins refuse is not counted. */
export async function quarterdeck(app: FastifyInstance, options: QuarterdeckOptions): Promise<void> {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { clock, metrics } = kit
  app.decorate('quarterdeck', kit)

  // Not onResponse: Fastify does not call it for a client that left before the end, as every reader of a stream does.
  app.addHook('onRequest', (request, reply, done) => {
    const startedMs = clock.monotonicMs()
    reply.raw.on('close', () =>
      metrics.observe(request.method, endpointOf(request), (clock.monotonicMs() - startedMs) / 1000),
    )
    done()
  })

  for (const [path, endpoint] of Object.entries(endpoints)) {
    app.get(path, async (request, reply) => {
      const { status, headers, body } = await endpoint(kit, request.headers.accept)
      return reply.code(status).headers(headers).send(body)
    })
  }
}

// The hook must see the routes of the whole application, so the plugin gets no scope of its own.
Object.assign(quarterdeck, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'quarterdeck',
})

const endpointOf = (request: FastifyRequest): string =>
  (request.is404 ? undefined : request.routeOptions.url) ?? unmatchedEndpoint
