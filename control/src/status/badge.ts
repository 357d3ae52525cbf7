/** A small picture of a service, for a README: what it is called, and its status, uptime or version. */
import type { Service } from '@quarterdeck/contract'
import { html } from '@quarterdeck/pages'
import { words } from './page/words.ts'

export const badgeKinds = ['status', 'uptime', 'version'] as const
export type BadgeKind = (typeof badgeKinds)[number]

const colours: Record<Service['status'], string> = {
  operational: '#1a7f4b',
  degraded: '#8a6100',
  partial_outage: '#a84300',
  outage: '#b3261e',
  maintenance: '#1451b8',
  unknown: '#5a6782',
}
/** Wide enough for most letters; the text is fitted to it. */
const letterWidth = 6.6
const longest = 40

export function badge(service: Service, kind: BadgeKind): string {
  const [left, right, colour] = textsOf(service, kind)
  const [a, b] = [widthOf(left), widthOf(right)]
  const width = a + b
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${a}" height="20" fill="#2b3853"/><rect x="${a}" width="${b}" height="20" fill="${colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${a / 2}" y="14" textLength="${a - 12}">${left}</text><text x="${a + b / 2}" y="14" textLength="${b - 12}">${right}</text>
</g>
</svg>`}\n`
}

function textsOf({ name, status, uptime, version }: Service, kind: BadgeKind): [string, string, string] {
  const short = name.length > longest ? `${name.slice(0, longest - 1)}…` : name
  if (kind === 'version') return [short, version ? version.sha.slice(0, 7) : words.notKnown, '#1451b8']
  if (kind === 'status') return [short, words.serviceStatus[status], colours[status]]
  const ratio = uptime['90d']
  const colour =
    ratio === null
      ? colours.unknown
      : ratio >= 0.999
        ? colours.operational
        : ratio >= 0.99
          ? colours.degraded
          : colours.outage
  return [short, words.uptimeBadge(ratio), colour]
}

const widthOf = (text: string): number => Math.ceil([...text].length * letterWidth) + 12
