import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calendarOf, inWholeSeconds, lastDays } from './days.ts'
import { Gaps } from './history/gaps.ts'
import { Ledger } from './history/ledger.ts'
import { change, countOf } from './history/under-test.ts'
import { spentKinds } from './time-spent.ts'

const second = (text: string) => Date.parse(text) / 1000
const lengthOf = ({
  up_s,
  degraded_s,
  down_s,
  maintenance_s,
  unknown_s,
}: ReturnType<typeof lastDays>[number]) => up_s + degraded_s + down_s + maintenance_s + unknown_s

test('days end with today, so far, and are oldest first', () => {
  const days = lastDays(
    countOf([[second('2026-03-01T12:00:00Z'), 'up']]),
    second('2026-03-02T09:20:00Z'),
    'UTC',
    90,
  )
  expect(days).toHaveLength(90)
  expect(days.at(-1)).toMatchObject({ date: '2026-03-02', up_s: 33_600, unknown_s: 0 })
  expect(days.at(-2)).toMatchObject({ date: '2026-03-01', up_s: 43_200, unknown_s: 43_200 })
  expect(days[0]).toMatchObject({ date: '2025-12-03', up_s: 0, unknown_s: 86_400 })
})

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-11-01', 25],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['Asia/Kolkata', '2026-03-29', 24],
])('in %s %s has %d hours', (timeZone, date, hours) => {
  const now = second(`${date}T12:00:00Z`) + 5 * 86_400
  const found = lastDays(countOf([]), now, timeZone, 10).find(day => day.date === date)!
  expect(lengthOf(found)).toBe(hours * 3600)
})

test('where clocks skip midnight, the day begins later', () => {
  // In 2018 clocks in São Paulo went from 23:59:59 on 3 November to 01:00 on the 4th.
  const { startOf, dateAt } = calendarOf('America/Sao_Paulo')
  expect(startOf('2018-11-04')).toBe(second('2018-11-04T03:00:00Z'))
  expect(dateAt(startOf('2018-11-04') - 1)).toBe('2018-11-03')
})

test('days follow one another without a gap, whatever the zone', () => {
  for (const timeZone of ['UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns', 'Asia/Tehran']) {
    const { startOf, dateAt } = calendarOf(timeZone)
    for (let day = second('2026-01-01T00:00:00Z'); day < second('2027-01-01T00:00:00Z'); day += 86_400) {
      const date = new Date(day * 1000).toISOString().slice(0, 10)
      const start = startOf(date)
      expect([dateAt(start), dateAt(start - 1) < date]).toEqual([date, true])
    }
  }
})

test('what is not whole is rounded so that the sum stays', () => {
  const spent = { up: 10.6, degraded: 0, down: 20.3, maintenance: 0, unknown: 4.1 }
  expect(inWholeSeconds(spent)).toEqual({ up: 11, degraded: 0, down: 20, maintenance: 0, unknown: 4 })
})

test('whatever happened, a day is its whole seconds, also where an edge cuts what is mixed and clocks change', () => {
  const start = second('2026-03-20T00:00:00Z')
  const steps = fc.array(
    fc.record({ after: fc.integer({ min: 1, max: 5000 }), kind: fc.constantFrom(...spentKinds) }),
    { minLength: 50, maxLength: 300 },
  )
  fc.assert(
    fc.property(steps, list => {
      const now = start + 20 * 86_400
      const gaps = new Gaps(15, [{ from: start + 86_400, to: start + 90_000 }])
      const ledger = new Ledger(gaps)
      let at = start
      for (const { after, kind } of list) {
        at += after
        ledger.note(change(at, kind))
      }
      ledger.tidy(now, 0)
      for (const day of lastDays(ledger, now, 'Europe/Berlin', 25).slice(0, -1)) {
        const { up_s, degraded_s, down_s, maintenance_s, unknown_s } = day
        const parts = [up_s, degraded_s, down_s, maintenance_s, unknown_s]
        expect(parts.every(part => Number.isInteger(part) && part >= 0)).toBe(true)
        expect(lengthOf(day)).toBe((day.date === '2026-03-29' ? 23 : 24) * 3600)
      }
    }),
    { numRuns: 30 },
  )
})
