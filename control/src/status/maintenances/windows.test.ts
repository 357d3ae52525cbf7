import { expect, test } from 'vitest'
import { type Plan, windowAt, windowBefore, windowsIn } from './windows.ts'

const at = (iso: string) => Date.parse(iso)
const iso = (window?: { from: number; to: number }) =>
  window && [window.from, window.to].map(ms => new Date(ms).toISOString().slice(0, 16)).join(' ')

const plan = (from: string, to: string, change: Partial<Plan> = {}): Plan => ({
  ...{ first: { from: at(from), to: at(to) }, repeat: null, timeZone: 'Europe/Berlin' },
  ...{ until: Number.POSITIVE_INFINITY, cancelled: Number.POSITIVE_INFINITY },
  ...change,
})

test('once: before, during and after', () => {
  const once = plan('2026-03-07T22:00Z', '2026-03-07T23:00Z')
  expect(iso(windowAt(once, at('2026-03-01T00:00Z')))).toBe('2026-03-07T22:00 2026-03-07T23:00')
  expect(iso(windowAt(once, at('2026-03-07T22:59Z')))).toBe('2026-03-07T22:00 2026-03-07T23:00')
  expect(windowAt(once, at('2026-03-07T23:00Z'))).toBeUndefined()
  expect(iso(windowBefore(once, at('2027-01-01T00:00Z')))).toBe('2026-03-07T22:00 2026-03-07T23:00')
})

test('weekly stays at its time of day when clocks change', () => {
  const weekly = plan('2026-03-21T21:00Z', '2026-03-21T22:00Z', { repeat: 'weekly' })
  expect(iso(windowAt(weekly, at('2026-03-22T00:00Z')))).toBe('2026-03-28T21:00 2026-03-28T22:00')
  expect(iso(windowAt(weekly, at('2026-03-29T00:00Z')))).toBe('2026-04-04T20:00 2026-04-04T21:00')
  expect(iso(windowAt(weekly, at('2036-03-29T00:00Z')))).toBe('2036-03-29T21:00 2036-03-29T22:00')
})

test('monthly: the 31st is the last day of shorter months', () => {
  const monthly = plan('2026-01-31T12:00Z', '2026-01-31T13:00Z', { repeat: 'monthly' })
  const all = windowsIn(monthly, { from: at('2026-01-01T00:00Z'), to: at('2026-06-01T00:00Z') })
  expect(all.map(window => iso(window)!.slice(0, 16))).toEqual([
    '2026-01-31T12:00',
    '2026-02-28T12:00',
    '2026-03-31T11:00',
    '2026-04-30T11:00',
    '2026-05-31T11:00',
  ])
})

test('an end of the repetition, and a cancellation in the middle of a window', () => {
  const until = plan('2026-03-07T10:00Z', '2026-03-07T11:00Z', {
    ...{ repeat: 'weekly', until: at('2026-03-14T10:00Z') },
  })
  expect(windowAt(until, at('2026-03-14T11:00Z'))).toBeUndefined()
  const cancelled = { ...until, cancelled: at('2026-03-14T10:30Z') }
  expect(iso(windowAt(cancelled, at('2026-03-14T10:10Z')))).toBe('2026-03-14T10:00 2026-03-14T10:30')
  expect(windowAt(cancelled, at('2026-03-14T10:30Z'))).toBeUndefined()
})
