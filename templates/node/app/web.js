/** What the service answers. Health, readiness, version and metrics are the kit's. */
import { quarterdeck } from '@quarterdeck/kit/node'
import { slugOf } from './slug.js'

export const name = 'hello-quarterdeck'

/** @typedef {{ status: number, body: object, headers?: Record<string, string> }} Answer */

/** @type {Record<string, (query: URLSearchParams) => Answer>} */
const routes = {
  '/': () => ({ status: 200, body: { service: name, try: '/slug?title=Hello, world' } }),
  '/slug': query => {
    const title = query.get('title') ?? ''
    const slug = slugOf(title)
    if (slug) return { status: 200, body: { title, slug } }
    return { status: 422, body: { error: 'title must have a letter or a digit: /slug?title=Hello, world' } }
  },
}

/** The service with the kit in front, which counts every request and answers its own paths. */
export function service() {
  return quarterdeck(
    {
      name,
      // What the service depends on: it is ready when all of them pass.
      checks: {},
      // Requests are counted under this name. For paths with parts that vary, such as /items/7, name the template.
      endpointOf: request => (Object.hasOwn(routes, pathOf(request)) ? pathOf(request) : undefined),
    },
    (request, response) => {
      const { status, body, headers } = answerTo(request)
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
      response.end(JSON.stringify(body))
    },
  )
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Answer}
 */
function answerTo(request) {
  const route = Object.hasOwn(routes, pathOf(request)) ? routes[pathOf(request)] : undefined
  if (!route) return { status: 404, body: { error: 'Nothing is at this path.' } }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: { error: 'Ask with GET.' }, headers: { allow: 'GET, HEAD' } }
  }
  const [, query] = (request.url ?? '').split('?', 2)
  return route(new URLSearchParams(query))
}

/** @param {import('node:http').IncomingMessage} request */
const pathOf = request => (request.url ?? '/').split('?', 1)[0] ?? '/'
