/** What a forge's call says of itself in its headers, and the push that is in its body. */
import type { IncomingHttpHeaders } from 'node:http'
import { Fault, type ForgePush, forgePush } from '@quarterdeck/contract'
import { checked, type RawCall } from '#http'

/** Forgejo sends the headers of those before it, too, and Gitea those of GitHub. */
const forgeNames = ['forgejo', 'gitea', 'github'] as const
export type ForgeName = (typeof forgeNames)[number]

export interface Delivery {
  readonly forge: ForgeName
  readonly event: string
  /** As the forge names it: the same when it sends it again. */
  readonly id: string
}

export function deliveryIn(headers: IncomingHttpHeaders): Delivery {
  const forge = forgeNames.find(name => headers[`x-${name}-event`] !== undefined)
  if (!forge) throw missing('X-GitHub-Event', 'must name the event, as GitHub, Gitea and Forgejo do')
  const id = forgeNames.map(name => headers[`x-${name}-delivery`]).find(value => value !== undefined)
  if (!/^[\x21-\x7e]{1,100}$/.test(String(id ?? '')))
    throw missing('X-GitHub-Delivery', 'must name the delivery, in 1 to 100 visible ASCII characters')
  return { forge, event: String(headers[`x-${forge}-event`]), id: String(id) }
}

const missing = (field: string, message: string) =>
  new Fault('invalid_fields', `Not acceptable: ${field}.`, { fields: [{ field, message }] })

/** Only of a call whose signature was right. */
export const pushIn = (call: RawCall): ForgePush => checked(forgePush, parsed(payloadIn(call)))

/** GitHub's forms hold the same JSON in a field. */
function payloadIn({ headers, body }: RawCall): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'application/json') return body.toString()
  if (type === 'application/x-www-form-urlencoded')
    return new URLSearchParams(body.toString()).get('payload') ?? ''
  throw new Fault(
    'unsupported_media_type',
    'Choose application/json as the content type of the webhook at the forge.',
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Fault('invalid_json', 'The payload is not valid JSON.', { cause: error })
  }
}
