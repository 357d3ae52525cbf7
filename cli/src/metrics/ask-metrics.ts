/** Asks the metrics host, which has Prometheus' paths and errors. It answers on its own machine alone. */
import { type Document, prometheusError } from '@quarterdeck/contract'
import { ask } from '../client.ts'
import { GuidedFault } from '../fail.ts'
import type { ApiOptions } from '../options.ts'
import { faultOf } from '../problem-fault.ts'
import { where } from '../where.ts'

type Output<D> = D extends Document<infer S> ? (S extends { _zod: { output: infer O } } ? O : never) : never

export async function askMetrics<D extends Document>(
  options: ApiOptions,
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
  document: D,
): Promise<Output<D>> {
  const { origin, address, token } = where(options)
  const url = new URL(path, origin)
  if (!url.hostname.startsWith('admin.'))
    throw new GuidedFault(
      'config_invalid',
      `${origin} is not the address of an admin host: where the metrics host is cannot be told from it.`,
      'Give it as https://admin.example.com, with --url or QUARTERDECK_URL.',
    )
  url.hostname = url.hostname.replace(/^admin\./, 'metrics.')
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  const { status, body } = await ask(url.href, { token, address, limitMs: 30_000 })
  if (status < 400) return document.schema.parse(body) as Output<D>
  const refused = prometheusError.safeParse(body)
  if (!refused.success) throw elsewhere(faultOf(status, body, url.href))
  const { errorType, error } = refused.data
  if (errorType === 'unavailable')
    throw new GuidedFault('control_unreachable', `${error}.`, 'See `qd status` and the log of control.')
  throw new GuidedFault(
    'invalid_fields',
    `${error}.`,
    error.startsWith('invalid parameter "time"')
      ? 'Give --time as RFC 3339, such as 2026-01-31T12:00:00Z, or as seconds since 1970.'
      : 'Correct the expression; handbook/metrics.md says what is known.',
  )
}

/** From outside there is no such host. */
const elsewhere = (fault: Error): Error =>
  (fault as GuidedFault).code === 'unknown_host'
    ? new GuidedFault(
        'unknown_host',
        fault.message,
        'The metrics host answers on the control machine alone: run it there.',
      )
    : fault
