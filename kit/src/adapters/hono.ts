/** The kit on Hono: `const kit = quarterdeck(app, { name: 'hello' })`, right after `new Hono()`. */
import type { ServerResponse } from 'node:http'
import type { Hono } from 'hono'
import { endpoints } from '../endpoints.ts'
import { type Answer, Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

/**
 * With options of a new kit, or a kit that was made before. It counts around `app.fetch`, and is no middleware: with one,
 * Hono would leave its fast way for routes that have a single handler.
 */
export function quarterdeck(app: Hono, options: KitOptions | { kit: Kit }): Kit {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { clock, metrics } = kit
  for (const [path, endpoint] of Object.entries(endpoints)) {
    app.get(path, async context => responseOf(await endpoint(kit, context.req.header('accept'))))
  }

  const answer = app.fetch
  app.fetch = (request, env, context) => {
    const startedMs = clock.monotonicMs()
    const count = () =>
      metrics.observe(request.method, templateOf(app, request), (clock.monotonicMs() - startedMs) / 1000)
    const { outgoing } = (env ?? {}) as { outgoing?: ServerResponse }
    // On Node the answer has ended when it was sent; elsewhere nobody tells, and it has when it was made.
    if (outgoing) outgoing.on('close', count)
    const response = answer(request, env, context)
    if (!outgoing) Promise.resolve(response).then(count, count)
    return response
  }
  return kit
}

const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(body, { status, headers: headers as Record<string, string> })

/** Of the routes that match, the last: what stands before it is middleware, and middleware for everything is no route. */
function templateOf(app: Hono, request: Request): string {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const [handlers] = app.router.match(method, app.getPath(request))
  const route = handlers.at(-1)?.[0][1]
  return !route || (route.method === 'ALL' && route.path.endsWith('*')) ? unmatchedEndpoint : route.path
}
