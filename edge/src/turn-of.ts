/** Whether an error on a connection can be answered, told by the answer to its newest request. */
import type { ServerResponse } from 'node:http'

/**
 * When the answer to an error comes: now; after the answers that are owed to earlier requests; or never, because the
 * request that is in error has its answer already or is not the first in line.
 */
export type Turn = 'now' | 'after' | 'never'

export function turnOf(latest: ServerResponse | undefined): Turn {
  if (!latest) return 'now'
  // Of a pipeline only the first response has the socket.
  if (!latest.req.complete) return latest.headersSent || !latest.socket ? 'never' : 'now'
  return latest.writableFinished ? 'now' : 'after'
}
