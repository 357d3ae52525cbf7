/** The last days of a service, each with what it was spent in, as a calendar of its time zone counts them. */
import type { Day } from '@quarterdeck/contract'
import { difference, type Spent, spentKinds, type TimeCount } from './time-spent.ts'

/** Oldest first; the last is today, up to `now`, in seconds since 1970. A day has 23 or 25 hours when clocks change. */
export function lastDays(time: TimeCount, now: number, timeZone: string, count: number): Day[] {
  const { dates, starts } = spansOf(timeZone, calendarOf(timeZone).dateAt(now), count)
  let before = time.upTo(starts[0]!)
  return dates.map((date, index) => {
    const [from, to] = [starts[index]!, Math.min(starts[index + 1]!, now)]
    const until = time.upTo(to)
    const { up, degraded, down, maintenance, unknown } = inWholeSeconds(difference(before, until, to - from))
    before = until
    return {
      date,
      up_s: up,
      degraded_s: degraded,
      down_s: down,
      maintenance_s: maintenance,
      unknown_s: unknown,
    }
  })
}

/** Shares are not always whole seconds. Those with the largest rest are rounded up, so that the sum stays as it is. */
export function inWholeSeconds(spent: Spent): Spent {
  if (spentKinds.every(kind => Number.isInteger(spent[kind]))) return spent
  const whole = { ...spent }
  for (const kind of spentKinds) whole[kind] = Math.floor(spent[kind])
  const sum = (of: Spent) => spentKinds.reduce((total, kind) => total + of[kind], 0)
  const missing = Math.round(sum(spent)) - sum(whole)
  const byRest = spentKinds.toSorted((a, b) => spent[b] - whole[b] - (spent[a] - whole[a]))
  for (const kind of byRest.slice(0, missing)) whole[kind]++
  return whole
}

interface Spans {
  readonly today: string
  readonly dates: readonly string[]
  /** When each begins, and when the last one ends. */
  readonly starts: readonly number[]
}

const newest = new Map<string, Spans>()

/** The same for all services, and asked for by each. */
function spansOf(timeZone: string, today: string, count: number): Spans {
  const key = `${timeZone} ${count}`
  const kept = newest.get(key)
  if (kept?.today === today) return kept
  const { startOf } = calendarOf(timeZone)
  const dates = Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count))
  const spans = { today, dates, starts: [...dates, addDays(today, 1)].map(startOf) }
  newest.set(key, spans)
  return spans
}

interface Calendar {
  /** Such as `2026-03-29`. */
  dateAt(second: number): string
  /** The second that a date begins with. */
  startOf(date: string): number
}

const known = new Map<string, Calendar>()

/** Making one is slow, and there are few. */
export function calendarOf(timeZone: string): Calendar {
  const calendar = known.get(timeZone) ?? newCalendar(timeZone)
  known.set(timeZone, calendar)
  return calendar
}

function newCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  })
  const starts = new Map<string, number>()
  /** What clocks there show, as if it were UTC. */
  const shown = (second: number): number => {
    const part = Object.fromEntries(
      format.formatToParts(second * 1000).map(({ type, value }) => [type, value]),
    )
    return (
      Date.parse(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`) / 1000
    )
  }
  const dateAt = (second: number) => new Date(shown(second) * 1000).toISOString().slice(0, 10)
  const startOf = (date: string): number => {
    const midnight = Date.parse(`${date}T00:00:00Z`) / 1000
    // Twice, because the first guess may lie on the other side of a change of clocks.
    let second = midnight - (shown(midnight) - midnight)
    second = midnight - (shown(second) - second)
    // Where clocks skip midnight, the day begins later: with the first second that is its own.
    while (dateAt(second) < date) second += 1800
    return second
  }
  return {
    dateAt,
    startOf(date) {
      const start = starts.get(date) ?? startOf(date)
      if (starts.size > 1000) starts.clear()
      starts.set(date, start)
      return start
    },
  }
}

function addDays(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`)
  moment.setUTCDate(moment.getUTCDate() + days)
  return moment.toISOString().slice(0, 10)
}
