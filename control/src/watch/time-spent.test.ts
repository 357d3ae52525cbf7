import { expect, test } from 'vitest'
import { countOf } from './history/under-test.ts'
import { coverageOf, overWindows, uptimeOf } from './time-spent.ts'

const hour = 3600
const day = 24 * hour
const now = 1_800_000_000

const none = { up: 0, degraded: 0, down: 0, maintenance: 0, unknown: 0 }

test('an hour that nobody watched is unknown: neither up nor down, and missing in the coverage', () => {
  const { uptime, coverage } = overWindows(
    countOf([
      [now - 2 * day, 'up'],
      [now - 3 * hour, 'unknown'],
      [now - 2 * hour, 'up'],
    ]),
    now,
  )
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
  expect(overWindows(countOf([]), now)).toMatchObject({
    uptime: { '24h': null, '365d': null },
    coverage: { '24h': 0 },
  })
})
