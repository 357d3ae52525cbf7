/** How an instance is, after all that was seen of it: alive, ready, and the build that was deployed. */
import type { Checked } from './checks.ts'
import type { Look } from './look.ts'
import type { Known } from './service.ts'
import { judge, type Reason, unknownVerdict, type Verdict } from './verdict.ts'

export interface Condition {
  /** Degraded: it lives, but is not ready, or is not what was deployed. */
  readonly state: 'up' | 'degraded' | 'down' | 'unknown'
  /** Seconds since 1970; null while unknown. */
  readonly since: number | null
  readonly reason: Reason | null
}

export interface Verdicts {
  readonly live: Verdict
  readonly ready: Verdict
  readonly version: Verdict
}

export const nothingSeen: Verdicts = {
  live: unknownVerdict,
  ready: unknownVerdict,
  version: unknownVerdict,
}

/**
 * What one more look makes of it. While it is being restarted on purpose only what is well counts: that it is away, or is
 * still the former build, is known.
 */
export function judgeLook(before: Verdicts, look: Look, isRestarting: boolean): Verdicts {
  const { at, live, version, ready, cutOff } = look
  const after = (verdict: Verdict, checked: Checked | null): Verdict => {
    const reason = checked ? checked.reason : cutOff
    if ((!checked && !cutOff) || (isRestarting && reason)) return verdict
    return judge(verdict, { at, reason })
  }
  // Of what does not live, nothing else can be told.
  if (!live.ok) return { ...before, live: after(before.live, live) }
  return {
    live: after(before.live, live),
    version: version ? after(before.version, version) : before.version,
    ready: after(before.ready, ready),
  }
}

export function conditionOf({ live, ready, version }: Verdicts): Condition {
  if (live.state === 'unknown') return { state: 'unknown', since: null, reason: null }
  if (live.state === 'bad') return { state: 'down', since: live.since, reason: live.reason }
  const worse = [ready, version].find(({ state }) => state === 'bad')
  if (worse) return { state: 'degraded', since: worse.since, reason: worse.reason }
  return { state: 'up', since: latest(live, ready, version), reason: null }
}

/** What somebody knows besides counts where nothing worse is seen. */
export function withKnown(seen: Condition, known: Known | null): Condition {
  if (seen.state !== 'up' || !known) return seen
  if (known.reason) return { state: 'degraded', ...known }
  return { ...seen, since: Math.max(seen.since ?? 0, known.since) }
}

const latest = (...verdicts: Verdict[]) => Math.max(...verdicts.map(({ since }) => since ?? 0))
