/** The kit on Hono: `app.use(quarterdeck({ name: 'hello' }))`, before everything else. */
import type { ServerResponse } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { endpoints } from '../endpoints.ts'
import { type Answer, Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

export type QuarterdeckMiddleware = MiddlewareHandler & { readonly kit: Kit }

/** With options of a new kit, or a kit that was made before. */
export function quarterdeck(options: KitOptions | { kit: Kit }): QuarterdeckMiddleware {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { clock, metrics } = kit

  const middleware: MiddlewareHandler = async (context, next) => {
    const startedMs = clock.monotonicMs()
    const { method, path } = context.req
    const endpoint =
      (method === 'GET' || method === 'HEAD') && Object.hasOwn(endpoints, path) ? endpoints[path] : undefined
    whenEnded(context, () => {
      const template = endpoint ? path : templateOf(context)
      metrics.observe(method, template, (clock.monotonicMs() - startedMs) / 1000)
    })
    if (!endpoint) return next()
    return responseOf(await endpoint(kit, context.req.header('accept')))
  }
  return Object.assign(middleware, { kit })
}

const responseOf = ({ status, headers, body }: Answer): Response =>
  new Response(body, { status, headers: headers as Record<string, string> })

/** On Node the answer has ended when it was sent; elsewhere nobody tells, and it has when it was made. */
function whenEnded(context: Context, done: () => void): void {
  const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse }
  if (outgoing) outgoing.on('close', done)
  else queueMicrotask(done)
}

/** Of the routes that matched, the one that answered. A middleware for everything is no route. */
function templateOf(context: Context): string {
  const route = matchedRoutes(context).findLast(({ method, path }) => method !== 'ALL' || !path.endsWith('*'))
  return route?.path ?? unmatchedEndpoint
}
