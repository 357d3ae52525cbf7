/** The last days of a service, each with what it was spent in, as a calendar of its time zone counts them. */
import type { Day } from '@quarterdeck/contract'
import { type Change, spentBetween } from './time-spent.ts'

/** Oldest first; the last is today, up to `now`, in seconds since 1970. A day has 23 or 25 hours when clocks change. */
export function lastDays(changes: readonly Change[], now: number, timeZone: string, count: number): Day[] {
  const calendar = calendarOf(timeZone)
  const today = calendar.dateAt(now)
  const dates = Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count))
  return dates.map(date => {
    const from = calendar.startOf(date)
    const to = Math.min(calendar.startOf(addDays(date, 1)), now)
    const { up, degraded, down, maintenance, unknown } = spentBetween(changes, from, to)
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
