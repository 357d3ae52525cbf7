import { expect, test } from 'vitest'
import { Increases, type Signals } from './increases.ts'

const le = [0.1, 0.25, Number.POSITIVE_INFINITY]
const read = (requests: number, counts: number[], bounds = le): Signals => ({
  requests,
  latency: { le: [...bounds], counts },
  memoryBytes: null,
})

/** What was counted after so many looks, 15 seconds apart. */
function counted(...looks: Signals[]) {
  const increases = new Increases()
  for (const [index, signals] of looks.entries()) increases.read('a', index * 15, signals)
  return increases.take()
}

test('the first look tells nothing, the next what came since', () => {
  expect(counted(read(1000, [500, 900, 1000]))).toEqual({ requests: null, observedS: 0, latency: null })
  const { requests, observedS, latency } = counted(
    read(1000, [500, 900, 1000]),
    read(1100, [500, 1000, 1100]),
  )
  expect([requests, observedS, latency!.total]).toEqual([100, 15, 100])
  // As Prometheus tells it: in the middle between the two bounds.
  expect(latency!.percentiles().p50! / 175).toBeCloseTo(1, 1)
})

test('a counter that is smaller has begun anew, and counts from nothing', () => {
  const { requests, latency } = counted(read(1000, [500, 900, 1000]), read(7, [0, 7, 7]), read(9, [0, 9, 9]))
  expect([requests, latency!.total]).toEqual([9, 9])
})

test('each instance counts for itself, and they are watched beside one another', () => {
  const increases = new Increases()
  for (let index = 0; index < 3; index++) {
    increases.read('a', index * 15, read(1000 + index, [0, 0, 0]))
    increases.read('b', index * 15, read(10 + 2 * index, [0, 0, 0]))
  }
  expect(increases.take()).toMatchObject({ requests: 6, observedS: 30 })
  expect(increases.take()).toMatchObject({ requests: null, observedS: 0, latency: null })
  increases.tidy(1000)
  increases.read('b', 1001, read(20, [0, 0, 0]))
  expect(increases.take().requests).toBeNull()
})

test('what took longer than the last bound is told as that bound', () => {
  const { latency } = counted(read(0, [0, 0, 0]), read(10, [0, 0, 10]))
  expect(latency!.percentiles().p99! / 250).toBeCloseTo(1, 1)
})

test('a deploy that changes the bounds begins anew, and both are counted', () => {
  const other = [0.5, 1]
  const { latency } = counted(
    read(0, [0, 0, 0]),
    read(10, [10, 10, 10]),
    read(0, [0, 0], other),
    read(10, [0, 10], other),
  )
  expect(latency!.total).toBe(20)
  expect(latency!.percentiles().p99).toBeGreaterThan(500)
})

test.each([
  ['other bounds', read(10, [0, 1, 1], [0.1, 0.5, 1])],
  ['bounds that do not rise', read(10, [0, 1, 1], [0.1, 0.1, 1])],
  [
    'bounds without end',
    read(
      10,
      Array(1000).fill(1),
      Array.from({ length: 1000 }, (_, index) => index),
    ),
  ],
  ['counts that are not cumulative', read(10, [10, 5, 1])],
  ['counts that are none', read(10, [Number.NaN, Number.NaN, Number.NaN])],
  ['endless counts', read(10, [0, 0, Number.POSITIVE_INFINITY])],
  ['fewer counts than bounds', read(10, [1])],
])('%s tell nothing of latencies', (_what, signals) => {
  expect(counted(read(0, [0, 0, 0]), signals).latency).toBeNull()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, -5, 1e300])('%d is no counter', requests => {
  expect(counted(read(0, [0, 0, 0]), read(requests, [0, 0, 0])).requests).toBeNull()
})

test('after a long time without a look, and for the same second again, nothing is told', () => {
  const increases = new Increases()
  increases.read('a', 0, read(0, [0, 0, 0]))
  increases.read('a', 0, read(5, [0, 0, 0]))
  increases.read('a', 3600, read(500, [0, 0, 0]))
  expect(increases.take().requests).toBeNull()
})
