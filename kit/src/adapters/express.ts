/** The kit on Express: `app.use(quarterdeck({ name: 'hello' }))`, before everything else. */
import type { NextFunction, Request, Response } from 'express'
import { endpoints, sendAnswer } from '../endpoints.ts'
import { Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

export interface QuarterdeckMiddleware {
  (request: Request, response: Response, next: NextFunction): void
  readonly kit: Kit
}

/** With options of a new kit, or a kit that was made before. */
export function quarterdeck(options: KitOptions | { kit: Kit }): QuarterdeckMiddleware {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { clock, metrics } = kit

  function middleware(request: Request, response: Response, next: NextFunction): void {
    const startedMs = clock.monotonicMs()
    const { path } = request
    const endpoint = isRead(request) && Object.hasOwn(endpoints, path) ? endpoints[path] : undefined
    response.on('close', () => {
      const template = endpoint ? path : templateOf(request)
      metrics.observe(request.method, template, (clock.monotonicMs() - startedMs) / 1000)
    })
    if (endpoint) {
      Promise.resolve(endpoint(kit, request.headers.accept)).then(
        answer => sendAnswer(response, answer),
        next,
      )
    } else next()
  }

  return Object.assign(middleware, { kit })
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/**
 * Express tells the route within its router as a template, but the place of the router as it was asked for. Where that
 * holds a parameter, its value is put back under its name.
 */
function templateOf({ route, baseUrl = '', params = {} }: Partial<Request>): string {
  if (!route) return unmatchedEndpoint
  const names = new Map(Object.entries(params).map(([name, value]) => [String(value), name]))
  const place = baseUrl
    .split('/')
    .map(part => (names.has(part) ? `:${names.get(part)}` : isId(part) ? ':id' : part))
    .join('/')
  return `${place}${String(route.path)}`
}

/** A part of a path that is some thing's id rather than a name. */
const isId = (part: string) => /^(\d+|[0-9a-f]{8,}(-[0-9a-f]+)*)$/i.test(part)
