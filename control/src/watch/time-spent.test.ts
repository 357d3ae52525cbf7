import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Change, coverageOf, overWindows, spentBetween, spentKinds, uptimeOf } from './time-spent.ts'

const hour = 3600
const day = 24 * hour
const now = 1_800_000_000

const none = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0 }

test('before the first change, and without any, nothing is known', () => {
  expect(spentBetween([], 0, 100)).toEqual({ ...none, unknown: 100 })
  expect(spentBetween([{ at: 60, kind: 'up' }], 0, 100)).toEqual({ ...none, unknown: 60, up: 40 })
})

test('what was before the span decides what it begins with', () => {
  const changes: Change[] = [
    { at: 10, kind: 'up' },
    { at: 50, kind: 'down' },
    { at: 70, kind: 'up' },
  ]
  expect(spentBetween(changes, 20, 100)).toEqual({ ...none, up: 60, down: 20 })
  expect(spentBetween(changes, 50, 60)).toEqual({ ...none, down: 10 })
  expect(spentBetween(changes, 200, 300)).toEqual({ ...none, up: 100 })
  expect(spentBetween(changes, 30, 30)).toEqual(none)
})

test('an hour that nobody watched is unknown: neither up nor down, and missing in the coverage', () => {
  const changes: Change[] = [
    { at: now - 2 * day, kind: 'up' },
    { at: now - 3 * hour, kind: 'unknown' },
    { at: now - 2 * hour, kind: 'up' },
  ]
  const { uptime, coverage } = overWindows(changes, now)
  expect(uptime['24h']).toBe(1)
  expect(coverage['24h']).toBeCloseTo(23 / 24)
  expect(coverage['7d']).toBeCloseTo((2 * 24 - 1) / (7 * 24))
})

test('maintenance is neither up nor down, and was observed', () => {
  const spent = { ...none, up: 50, maintenance: 40, down: 10 }
  expect(uptimeOf(spent)).toBeCloseTo(50 / 60)
  expect(coverageOf(spent)).toBe(1)
})

test('degraded is up', () => {
  expect(uptimeOf({ ...none, degraded: 10, down: 10 })).toBe(0.5)
})

test('nothing observed is no figure', () => {
  expect(overWindows([], now)).toMatchObject({
    uptime: { '24h': null, '365d': null },
    coverage: { '24h': 0 },
  })
})

const changes = fc
  .array(fc.record({ at: fc.integer({ min: 0, max: 1000 }), kind: fc.constantFrom(...spentKinds) }), {
    maxLength: 30,
  })
  .map(list => list.toSorted((a, b) => a.at - b.at))

test('the parts make up the whole, and a span is the sum of its halves', () => {
  const second = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(changes, second, second, second, (list, a, b, c) => {
      const [from, middle, to] = [a, b, c].sort((x, y) => x - y) as [number, number, number]
      const whole = spentBetween(list, from, to)
      expect(spentKinds.reduce((sum, kind) => sum + whole[kind], 0)).toBe(to - from)
      const [first, last] = [spentBetween(list, from, middle), spentBetween(list, middle, to)]
      for (const kind of spentKinds) expect(first[kind] + last[kind]).toBe(whole[kind])
    }),
  )
})

test('second by second it is the same', () => {
  fc.assert(
    fc.property(changes, list => {
      const slow = { ...none }
      for (let second = 0; second < 1000; second++) {
        slow[list.findLast(({ at }) => at <= second)?.kind ?? 'unknown']++
      }
      expect(spentBetween(list, 0, 1000)).toEqual(slow)
    }),
    { numRuns: 50 },
  )
})
