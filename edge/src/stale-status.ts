/** status.json while control is not there: the copy that it has left on disk, marked as what it is. */
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { statusDocument } from '@quarterdeck/contract'

const path = '/status.json'

export const asksForStatus = ({ method, url }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && url?.split('?', 1)[0] === path

/** False: there is no copy, or none that can be read. */
export async function serveStaleStatus(
  file: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const body = await readFile(file, 'utf8').then(markedStale, () => undefined)
  if (body === undefined) return false
  response
    .writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'x-quarterdeck-stale': 'control',
    })
    .end(method === 'HEAD' ? undefined : body)
  return true
}

/** Services are as they were last seen, and that nobody watches them now is said. */
function markedStale(text: string): string | undefined {
  const status = statusDocument.schema.safeParse(parsed(text)).data
  if (!status) return undefined
  const description = `Nobody watches the services at the moment: this was seen by ${status.generated_at}`
  const marked = {
    ...status,
    status: { indicator: 'unknown', description },
    observer: { ...status.observer, ok: false, since: null },
  }
  return `${JSON.stringify(marked)}\n`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
