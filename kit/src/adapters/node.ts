/** The kit on plain `node:http`: `createServer(quarterdeck({ name: 'hello' }, handler))`. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { endpoints, isKitPath, sendAnswer } from '../endpoints.ts'
import { Kit, type KitOptions } from '../kit.ts'
import { unmatchedEndpoint } from '../metrics.ts'

export type NodeOptions = (KitOptions | { kit: Kit }) & {
  /** The template of the route that answers a request, such as `/items/:id`. Plain `node:http` has no routes to ask. */
  endpointOf?: (request: IncomingMessage) => string | undefined
}

export type QuarterdeckListener = RequestListener & { readonly kit: Kit }

/** Answers the kit's endpoints; everything else goes to `handler`, and is counted. */
export function quarterdeck(options: NodeOptions, handler: RequestListener): QuarterdeckListener {
  const kit = 'kit' in options ? options.kit : new Kit(options)
  const { endpointOf = () => undefined } = options

  const listener: RequestListener = (request, response) => {
    const path = pathOf(request)
    countRequest(kit, request, response, isKitPath(path) ? path : endpointOf(request))
    if (!isKitPath(path)) handler(request, response)
    else {
      serveKit(kit, request, response).then(
        served => served || handler(request, response),
        error => response.destroy(error),
      )
    }
  }
  return Object.assign(listener, { kit })
}

/** Answers the kit's endpoints, and says whether it did. */
export async function serveKit(
  kit: Kit,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = pathOf(request)
  if (!isKitPath(path) || (request.method !== 'GET' && request.method !== 'HEAD')) return false
  sendAnswer(response, await endpoints[path]!(kit, request.headers.accept))
  return true
}

/** Counts the request, when it has ended, under the template of its route. */
export function countRequest(
  { clock, metrics }: Kit,
  request: IncomingMessage,
  response: ServerResponse,
  endpoint = unmatchedEndpoint,
): void {
  const startedMs = clock.monotonicMs()
  response.on('close', () => {
    metrics.observe(request.method ?? 'GET', endpoint, (clock.monotonicMs() - startedMs) / 1000)
  })
}

const pathOf = (request: IncomingMessage) => (request.url ?? '/').split('?', 1)[0]!
