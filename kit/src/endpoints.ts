/** The kit's endpoints, by path, for every adapter alike. */
import type { ServerResponse } from 'node:http'
import type { Answer, Kit } from './kit.ts'

type Endpoint = (kit: Kit, accept: string | undefined) => Answer | Promise<Answer>

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/healthz': kit => kit.healthz(),
  '/readyz': kit => kit.readyz(),
  '/version': kit => kit.version(),
  '/metrics': (kit, accept) => kit.metricsText(accept),
}

export const isKitPath = (path: string): boolean => Object.hasOwn(endpoints, path)

/** Node leaves the body out where HEAD was asked. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body)
}
