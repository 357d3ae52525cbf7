/** The kit on plain `node:http`: `if (await serveKit(kit, request, response)) return`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer, Kit } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

const endpoints: Record<string, (kit: Kit, request: IncomingMessage) => Answer | Promise<Answer>> = {
  '/healthz': kit => kit.healthz(),
  '/readyz': kit => kit.readyz(),
  '/version': kit => kit.version(),
  '/metrics': (kit, request) => kit.metricsText(request.headers.accept),
}

/** Answers the kit's endpoints, and says whether it did. */
export async function serveKit(
  kit: Kit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const endpoint = endpoints[pathOf(request)]
  if (!endpoint || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  const { status, type, body } = await endpoint(kit, request)
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(request.method === 'HEAD' ? undefined : body)
  return true
}

/** Counts the request when it has ended. `routes` are the templates besides the kit's own. */
export function countRequest(
  kit: Kit,
  request: IncomingMessage,
  response: ServerResponse,
  routes: ReadonlySet<string>,
): void {
  const startedMs = kit.clock.monotonicMs()
  const path = pathOf(request)
  const endpoint = routes.has(path) || Object.hasOwn(endpoints, path) ? path : unmatchedEndpoint
  response.once('close', () => {
    kit.metrics.observe(request.method ?? 'GET', endpoint, (kit.clock.monotonicMs() - startedMs) / 1000)
  })
}

const pathOf = (request: IncomingMessage) => (request.url ?? '/').split('?', 1)[0]!
