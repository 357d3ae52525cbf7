/** The bare host and the machine's address: the edge answers under its own name, and shows the front page. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@quarterdeck/contract'
import { isKitPath, type Kit } from '@quarterdeck/kit'
import { countRequest, serveKit } from '@quarterdeck/kit/node'
import { contentSecurityPolicy } from '@quarterdeck/pages'

const routes = new Set(['/'])

/** Resolves when the request was answered; rejects with the fault to answer with. */
export async function serveOwnHost(
  kit: Kit,
  request: IncomingMessage,
  response: ServerResponse,
  frontPage: () => Promise<string>,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0]!
  const known = routes.has(path) || isKitPath(path)
  countRequest(kit, request, response, known ? path : undefined)
  if (await serveKit(kit, request, response)) return
  if (!known) throw new Fault('not_found', `There is nothing at ${path}.`)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Fault('method_not_allowed', `${path} does not take ${request.method}.`, {
      allow: ['GET', 'HEAD'],
    })
  }
  const body = await frontPage()
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    })
    .end(request.method === 'HEAD' ? undefined : body)
}
