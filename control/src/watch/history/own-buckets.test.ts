import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundsOf, OwnBuckets } from './own-buckets.ts'

const le = [0.005, 0.01, 0.1, 1, Number.POSITIVE_INFINITY]

function counted(bounds: readonly number[], counts: readonly number[]): OwnBuckets {
  const buckets = new OwnBuckets()
  buckets.addAll(boundsOf(bounds), counts)
  return buckets
}

test('sums are exact, whatever the bounds, and by way of text', () => {
  const counts = fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 })
  const bounds = fc
    .uniqueArray(fc.double({ min: 0, max: 5000, noNaN: true }), { minLength: 5, maxLength: 5 })
    .map(list => list.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(bounds, bounds, counts, counts, (one, other, here, there) => {
      const both = OwnBuckets.parse(`${counted(one, here)}`)
      both.merge(counted(other, there))
      expect(both.total).toBe([...here, ...there].reduce((sum, count) => sum + count, 0))
      const turned = counted(other, there)
      turned.merge(counted(one, here))
      expect(`${both}`).toBe(`${turned}`)
    }),
  )
})

test('a percentile lies between its bounds, as far as its share, where Prometheus puts it', () => {
  const { p50, p95, p99 } = counted(le, [0, 0, 100, 0, 0]).percentiles()
  expect([p50! / 55, p95! / 95.5, p99! / 99.1].map(ratio => Math.abs(ratio - 1) < 0.07)).toEqual([
    true,
    true,
    true,
  ])
})

test('no service has more of them than there are', () => {
  const many = Array.from({ length: 5000 }, (_, index) => index / 1000)
  expect(`${counted(many, Array(5000).fill(1))}`.split(' ').length).toBeLessThanOrEqual(241)
})

test('nothing counted is no percentile', () => {
  expect(counted(le, [0, 0, 0, 0, 0]).percentiles()).toEqual({ p50: null, p95: null, p99: null })
})
