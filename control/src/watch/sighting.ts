/** What a sighting says, by what kind of instance was seen. */
import { certificateWarning, checkUrl, redirectOf } from './check-url.ts'
import type { Checked } from './checks.ts'
import { type Look, lookAtApi } from './look.ts'
import { lookAtUrl } from './look-at-url.ts'
import type { Sighting } from './prober.ts'
import type { AddressInstance } from './service.ts'
import type { Reason } from './verdict.ts'
import type { WatchTarget } from './watch.ts'

/** One that leads on is followed by a look of its own: it is rare, and leads to another connection anyway. */
export function lookOf({ target, atMs, seen, certificateEnds }: Sighting<WatchTarget>): Look | Promise<Look> {
  const { instance } = target
  const at = Math.floor(atMs / 1000)
  const now = new Date(atMs)
  if (instance.kind === 'address') {
    const [first] = seen
    if (!first) return Promise.reject(new Error(`nothing was seen of ${target.id}`))
    const { expect, url } = instance.target
    if ('answer' in first && redirectOf(expect, new URL(url), first.answer))
      return followed(at, instance, now)
    const { warning, ...live } = checkUrl(expect, { seen: first, certificateEnds }, now)
    return looked(at, live, warning)
  }
  const look = lookAtApi(at, instance.paths, seen, instance.expected)
  const { certificateDays: certificate_days } = instance
  if (certificate_days === undefined || !look.ready?.ok) return look
  return {
    ...look,
    ready: warned(look.ready, certificateWarning({ certificate_days }, certificateEnds, now)),
  }
}

async function followed(at: number, { target }: AddressInstance, now: Date): Promise<Look> {
  const { warning, ...live } = await lookAtUrl(target, now)
  return looked(at, live, warning)
}

/** A warning makes it less than ready. */
const looked = (at: number, live: Checked, warning: Reason | null): Look => ({
  at,
  live,
  ready: live.ok ? warned(live, warning) : null,
  version: null,
  metrics: null,
  cutOff: null,
})

const warned = (checked: Checked, warning: Reason | null): Checked =>
  warning ? { ...checked, ok: false, reason: warning } : checked
