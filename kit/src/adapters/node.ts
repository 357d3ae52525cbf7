/** The kit on plain `node:http`: `if (await serveKit(kit, request, response)) return`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { endpoints, isKitPath, sendAnswer } from '../endpoints.ts'
import type { Kit } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

/** Answers the kit's endpoints, and says whether it did. */
export async function serveKit(
  kit: Kit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const endpoint = endpoints[pathOf(request)]
  if (!endpoint || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  sendAnswer(response, await endpoint(kit, request.headers.accept))
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
  const endpoint = routes.has(path) || isKitPath(path) ? path : unmatchedEndpoint
  response.once('close', () => {
    kit.metrics.observe(request.method ?? 'GET', endpoint, (kit.clock.monotonicMs() - startedMs) / 1000)
  })
}

const pathOf = (request: IncomingMessage) => (request.url ?? '/').split('?', 1)[0]!
