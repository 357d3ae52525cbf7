/** The windows of a maintenance: one, or one each week or month at the same time of day where the environment is. */
import type { Repeat } from '@quarterdeck/contract'

/** Milliseconds since 1970. */
export interface Window {
  readonly from: number
  readonly to: number
}

export interface Plan {
  readonly first: Window
  readonly repeat: Repeat | null
  /** No window begins after it. */
  readonly until: number
  /** From then on there is none, and one under way ends. */
  readonly cancelled: number
  readonly timeZone: string
}

const dayMs = 86_400_000

/** The one that is under way at `now`, else the next; undefined: there is none any more. */
export function windowAt(plan: Plan, now: number): Window | undefined {
  let index = firstGuess(plan, now)
  for (;;) {
    const window = windowOf(plan, index++)
    if (!window) return undefined
    if (window.to > now) return window
  }
}

/** The last one that was over by `now`. */
export function windowBefore(plan: Plan, now: number): Window | undefined {
  let last: Window | undefined
  for (let index = firstGuess(plan, now); ; index++) {
    const window = windowOf(plan, index)
    if (!window || window.to > now) return last
    last = window
  }
}

/** Those that begin in a span, oldest first. */
export function windowsIn(plan: Plan, { from, to }: Window): Window[] {
  const windows: Window[] = []
  for (let index = firstGuess(plan, from); ; index++) {
    const window = windowOf(plan, index)
    if (!window || window.from >= to) return windows
    if (window.from >= from) windows.push(window)
  }
}

/** One that is surely over, or the very first: from there on it is counted. */
function firstGuess({ first, repeat }: Plan, now: number): number {
  if (repeat === null) return 0
  const longest = repeat === 'weekly' ? 7 * dayMs : 31 * dayMs
  return Math.max(0, Math.floor((now - first.to) / longest) - 2)
}

function windowOf({ first, repeat, until, cancelled, timeZone }: Plan, index: number): Window | undefined {
  if (repeat === null && index > 0) return undefined
  const from = index === 0 ? first.from : startOf(first.from, repeat!, index, timeZone)
  if (from > until || from >= cancelled) return undefined
  return { from, to: Math.min(from + first.to - first.from, cancelled) }
}

function startOf(first: number, repeat: Repeat, index: number, timeZone: string): number {
  const local = new Date(shownAt(first, timeZone))
  if (repeat === 'weekly') local.setUTCDate(local.getUTCDate() + 7 * index)
  else {
    const day = local.getUTCDate()
    local.setUTCDate(1)
    local.setUTCMonth(local.getUTCMonth() + index)
    const last = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate()
    local.setUTCDate(Math.min(day, last))
  }
  const wanted = local.getTime()
  // Twice, because the first guess may lie on the other side of a change of clocks.
  const guess = wanted - (shownAt(wanted, timeZone) - wanted)
  return wanted - (shownAt(guess, timeZone) - guess)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What clocks there show, as if it were UTC. */
function shownAt(ms: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    })
  formats.set(timeZone, format)
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]))
  return Date.parse(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`)
}
