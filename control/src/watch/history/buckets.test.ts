import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Buckets } from './buckets.ts'

function counted(values: readonly number[]): Buckets {
  const buckets = new Buckets()
  for (const value of values) buckets.add(value)
  return buckets
}

test('a percentile is off by less than 4 %, whatever was counted', () => {
  const latency = fc.double({ min: 0.2, max: 60_000, noNaN: true })
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), values => {
      const sorted = values.toSorted((a, b) => a - b)
      const { p50, p95, p99 } = counted(values).percentiles()
      for (const [share, found] of [[0.5, p50] as const, [0.95, p95] as const, [0.99, p99] as const]) {
        const exact = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
        expect(Math.abs(found! / exact - 1)).toBeLessThan(0.04)
      }
    }),
  )
})

test('sums are exact, in any order and by way of text, and can be taken back', () => {
  const latencies = fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { maxLength: 50 })
  fc.assert(
    fc.property(latencies, latencies, (one, other) => {
      const both = Buckets.parse(`${counted(other)}`)
      both.merge(counted(one))
      expect(`${both}`).toBe(`${counted([...one, ...other])}`)
      expect(both.total).toBe(one.length + other.length)
      both.subtract(counted(one).pack())
      expect(`${both}`).toBe(`${counted(other)}`)
    }),
  )
})

test('many of the same can be taken back, too', () => {
  const buckets = counted(Array(1000).fill(5))
  buckets.subtract(buckets.pack())
  expect(buckets.total).toBe(0)
})

test('nothing counted is no percentile, and what is no duration is counted as the shortest', () => {
  expect(new Buckets().percentiles()).toEqual({ p50: null, p95: null, p99: null })
  expect(counted([-1, Number.NaN, 0]).percentiles().p99).toBeLessThanOrEqual(0.1)
  expect(Buckets.parse('nonsense 3:x 999:1 -1:4').total).toBe(0)
})
