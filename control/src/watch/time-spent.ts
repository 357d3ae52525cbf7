/**
 * What the time of a service was spent in, counted from the changes of its state. Time that nobody observed is unknown:
 * it counts neither as up nor as down, and its share stands beside every figure.
 */
import { type Window, windows } from '@quarterdeck/contract'

/** Degraded is up, and said so. Maintenance is neither up nor down. */
export const spentKinds = ['up', 'degraded', 'down', 'maintenance', 'unknown'] as const
export type SpentKind = (typeof spentKinds)[number]

/** From this second on, until the next change. Before the first, nothing is known. */
export interface Change {
  /** Seconds since 1970. */
  readonly at: number
  readonly kind: SpentKind
}

/** Whole seconds of each kind. Their sum is the length of what was asked for. */
export type Spent = Record<SpentKind, number>

const daySeconds = 86_400

const windowSeconds: Record<Window, number> = {
  '24h': daySeconds,
  '7d': 7 * daySeconds,
  '30d': 30 * daySeconds,
  '90d': 90 * daySeconds,
  '365d': 365 * daySeconds,
}

/** Between two seconds; `changes` are in the order of their time. */
export function spentBetween(changes: readonly Change[], from: number, to: number): Spent {
  const spent: Spent = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0 }
  let at = from
  let kind: SpentKind = 'unknown'
  // What happened before decides what it begins with.
  let index = firstAfter(changes, from)
  if (index > 0) kind = changes[index - 1]!.kind
  for (; index < changes.length && changes[index]!.at < to; index++) {
    const change = changes[index]!
    spent[kind] += change.at - at
    at = change.at
    kind = change.kind
  }
  if (to > at) spent[kind] += to - at
  return spent
}

/** Share of the observed time that it was up; null when none was observed. */
export function uptimeOf({ up, degraded, down }: Spent): number | null {
  const observed = up + degraded + down
  return observed === 0 ? null : (up + degraded) / observed
}

/** Share of the time that somebody watched. */
export function coverageOf(spent: Spent): number {
  const length = spentKinds.reduce((sum, kind) => sum + spent[kind], 0)
  return length === 0 ? 0 : (length - spent.unknown) / length
}

/** The figures of status.json, as of `now`. */
export function overWindows(changes: readonly Change[], now: number) {
  const spent = windows.map(window => spentBetween(changes, now - windowSeconds[window], now))
  const named = (figure: (spent: Spent) => number | null) =>
    Object.fromEntries(windows.map((window, index) => [window, figure(spent[index]!)])) as Record<
      Window,
      number | null
    >
  return { uptime: named(uptimeOf), coverage: named(coverageOf) }
}

/** The first change that is later than this second: found by halves, because a year of changes is long. */
function firstAfter(changes: readonly Change[], second: number): number {
  let [low, high] = [0, changes.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (changes[middle]!.at <= second) low = middle + 1
    else high = middle
  }
  return low
}
