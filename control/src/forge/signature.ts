/** Whether a call comes from the forge that has the hook's secret: HMAC-SHA256 over the bytes of the body. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Gitea and Forgejo send theirs without the name of the hash, and old versions send no other. */
const bareHeaders = ['x-gitea-signature', 'x-forgejo-signature']

/** Hexadecimal, in lower case; undefined when there is none that could be right. */
export function signatureIn(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['x-hub-signature-256']
  const bare = bareHeaders.map(name => headers[name]).find(value => value !== undefined)
  const sent = named === undefined ? bare : /^sha256=(.*)$/.exec(String(named))?.[1]
  return /^[0-9a-f]{64}$/i.test(String(sent)) ? String(sent).toLowerCase() : undefined
}

/** Takes as long for a wrong one as for the right one. */
export function isSigned(body: Buffer, secret: string, signature: string | undefined): boolean {
  const right = createHmac('sha256', secret).update(body).digest()
  const sent = Buffer.from(signature ?? '', 'hex')
  return sent.length === right.length && timingSafeEqual(sent, right)
}
