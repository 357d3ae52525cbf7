/**
 * What the time of a service was spent in. Time that nobody observed is unknown: it counts neither as up nor as down, and
 * its share stands beside every figure.
 */
import { type Window, windows } from '@quarterdeck/contract'

/** Degraded is up, and said so. Maintenance is neither up nor down. */
export const spentKinds = ['up', 'degraded', 'down', 'maintenance', 'unknown'] as const
export type SpentKind = (typeof spentKinds)[number]

/** Seconds of each kind. Their sum is the length of what was asked for. */
export type Spent = Record<SpentKind, number>

/** What was known, in seconds of each kind. */
export type Known = Omit<Spent, 'unknown'>

/** Counts the known time from its own beginning up to any second since 1970. */
export interface TimeCount {
  upTo(second: number): Known
}

const daySeconds = 86_400

const windowSeconds: Record<Window, number> = {
  '24h': daySeconds,
  '7d': 7 * daySeconds,
  '30d': 30 * daySeconds,
  '90d': 90 * daySeconds,
  '365d': 365 * daySeconds,
}

export function spentBetween(count: TimeCount, from: number, to: number): Spent {
  return difference(count.upTo(from), count.upTo(to), to - from)
}

/** From two counts with so many seconds between them: what was not known in between is what is left. */
export function difference(before: Known, after: Known, seconds: number): Spent {
  const up = after.up - before.up
  const degraded = after.degraded - before.degraded
  const down = after.down - before.down
  const maintenance = after.maintenance - before.maintenance
  // Shares of a whole are not always whole: no rounding may make less than nothing of it.
  const unknown = Math.max(0, seconds - up - degraded - down - maintenance)
  return { up, degraded, down, maintenance, unknown }
}

/** Share of the observed time that it was up; null when none was observed. */
export function uptimeOf({ up, degraded, down }: Spent): number | null {
  const observed = up + degraded + down
  return observed === 0 ? null : Math.min(1, (up + degraded) / observed)
}

/** Share of the time that somebody watched. */
export function coverageOf(spent: Spent): number {
  const known = spent.up + spent.degraded + spent.down + spent.maintenance
  const length = known + spent.unknown
  return length === 0 ? 0 : Math.min(1, known / length)
}

export interface Figures {
  readonly uptime: Record<Window, number | null>
  readonly coverage: Record<Window, number>
}

/** The figures of status.json, as of `now`. */
export function overWindows(count: TimeCount, now: number): Figures {
  const until = count.upTo(now)
  const uptime = {} as Record<Window, number | null>
  const coverage = {} as Record<Window, number>
  for (const window of windows) {
    const seconds = windowSeconds[window]
    const spent = difference(count.upTo(now - seconds), until, seconds)
    uptime[window] = uptimeOf(spent)
    coverage[window] = coverageOf(spent)
  }
  return { uptime, coverage }
}
