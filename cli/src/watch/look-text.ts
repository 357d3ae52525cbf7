/** What one look at a service saw, in a line or two. */
import type { ServiceLook } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'

export function lookText({
  ok,
  http_status,
  latency_ms,
  reason,
  warning,
  certificate_ends,
  redirects,
}: ServiceLook): string {
  const { green, red, yellow } = colours(process.stdout)
  const facts = [
    http_status === null ? null : `it answers ${http_status}`,
    latency_ms === null ? null : `in ${Math.round(latency_ms)} ms`,
    redirects === 0 ? null : `after ${redirects} redirect${redirects === 1 ? '' : 's'}`,
    certificate_ends && `with a certificate until ${certificate_ends.slice(0, 10)}`,
  ].filter(fact => fact !== null)
  const lines = [
    ok
      ? `${green('✓')} Seen just now: ${facts.join(' ')}.`
      : `${red('✗')} Seen just now: ${plain(reason?.message ?? 'no')}`,
    ...(warning ? [`${yellow('!')} ${plain(warning.message)}`] : []),
  ]
  return lines.map(line => `${line}\n`).join('')
}
