/** What the edge routes to. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Upstream {
  /** The sub-domain. */
  readonly name: string
  readonly title: string
  readonly purpose: string
  /** Only for requests from this machine. */
  readonly inside?: true
  /** Paths that it answers at the bare host and the machine's address, too. */
  readonly atBareHost?: RegExp
  ready(): Promise<boolean>
  /** Takes the request over. Its headers say who asks: X-Forwarded-For, X-Forwarded-Proto, X-Request-Id. */
  handle(request: IncomingMessage, response: ServerResponse): void
}
