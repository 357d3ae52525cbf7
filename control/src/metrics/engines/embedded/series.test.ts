import { expect, test } from 'vitest'
import { labelsOf } from './labels.ts'
import { needsOf } from './needs.ts'
import { evaluate } from './promql/evaluate.ts'
import { parseExpression } from './promql/parse.ts'
import { type Limits, lookbackMs, SeriesStore } from './series.ts'

const sample = (name: string, value: number, more: Record<string, string> = {}) => ({
  labels: labelsOf({ __name__: name, ...more }),
  value,
})

const storeFor = (expressions: string[], limits: Partial<Limits> = {}) =>
  new SeriesStore(needsOf(expressions.map(parseExpression)), limits)

const valuesAt = (store: SeriesStore, expression: string, atMs: number) => {
  const result = evaluate(parseExpression(expression), { store, atMs })
  return typeof result === 'number' ? result : result.map(({ value }) => value)
}

test('only series that some expression names are kept', () => {
  const store = storeFor(['up{job="a"} == 0', 'rate({__name__=~"requests.*"}[5m])'])
  const appended = store.append('a', 0, [
    sample('up', 1, { job: 'a' }),
    sample('up', 1, { job: 'b' }),
    sample('requests_total', 1),
    sample('other', 1),
  ])
  expect(appended).toEqual({ stored: 2, notNeeded: 2, outOfOrder: 0, duplicate: 0, overLimit: 0 })
  expect(store.size).toEqual({ series: 2, samples: 2 })
})

test('a series that a scrape lacks has ended, and begins again', () => {
  const store = storeFor(['x', 'x[1m]'])
  store.append('a', 0, [sample('x', 1)])
  expect(valuesAt(store, 'x', 10)).toEqual([1])
  store.append('a', 1000, [])
  expect([valuesAt(store, 'x', 999), valuesAt(store, 'x', 1000)]).toEqual([[1], []])
  store.append('a', 2000, [sample('x', 3)])
  expect([valuesAt(store, 'x', 2000), valuesAt(store, 'sum_over_time(x[1m])', 2000)]).toEqual([[3], [4]])
})

test('what another target gave goes on', () => {
  const store = storeFor(['x'])
  store.append('a', 0, [sample('x', 1, { instance: 'a' })])
  store.append('b', 0, [sample('x', 2, { instance: 'b' })])
  store.append('a', 1000, [])
  expect(valuesAt(store, 'x', 1000)).toEqual([2])
})

test('without a marker a sample counts for five minutes', () => {
  const store = storeFor(['x'])
  store.append('a', 0, [sample('x', 1)])
  expect([valuesAt(store, 'x', lookbackMs), valuesAt(store, 'x', lookbackMs + 1)]).toEqual([[1], []])
})

test('a sample with a time of its own is taken at that time, and does not end by being left out', () => {
  const store = storeFor(['x'])
  store.append('a', 10_000, [{ ...sample('x', 1), atMs: 4000 }])
  store.append('a', 20_000, [])
  expect([valuesAt(store, 'x', 3999), valuesAt(store, 'x', 25_000)]).toEqual([[], [1]])
})

test('of two samples at one time the first counts; earlier ones come too late', () => {
  const store = storeFor(['x'])
  expect(store.append('a', 1000, [sample('x', 1), sample('x', 2), sample('x', 1)])).toMatchObject({
    stored: 2,
    duplicate: 1,
  })
  expect(store.append('b', 500, [sample('x', 3)])).toMatchObject({ stored: 0, outOfOrder: 1 })
  expect(valuesAt(store, 'x', 1000)).toEqual([1])
})

test('samples are kept as long as the longest range asks, and no longer', () => {
  const store = storeFor(['rate(x[10m])', 'x offset 20m'])
  for (let minute = 0; minute < 300; minute++) store.append('a', minute * 60_000, [sample('x', minute)])
  // 25 minutes with the lookback, one of grace.
  expect(store.size.samples).toBe(27)
  expect(valuesAt(store, 'x offset 20m', 299 * 60_000)).toEqual([279])
})

test('other rules: what they still name stays, the rest goes, what they newly name begins', () => {
  const store = storeFor(['x', 'y'])
  store.append('a', 0, [sample('x', 1), sample('y', 2), sample('z', 3)])
  store.need(needsOf([parseExpression('x[1h]'), parseExpression('z')]))
  expect(store.size).toEqual({ series: 1, samples: 1 })
  store.append('a', 1000, [sample('x', 4), sample('y', 5), sample('z', 6)])
  expect(store.size).toEqual({ series: 2, samples: 3 })
  expect([valuesAt(store, 'count_over_time(x[1h])', 1000), valuesAt(store, 'z', 1000)]).toEqual([[2], [6]])
})

test('memory is bounded: in series, in samples of one, and in all', () => {
  const store = storeFor(['x'], { series: 2, samplesPerSeries: 3, samples: 5 })
  for (let turn = 0; turn < 10; turn++) {
    const batch = ['a', 'b', 'c'].map(part => sample('x', turn, { part }))
    expect(store.append('t', turn * 1000, batch).overLimit).toBe(1)
  }
  expect(store.size.series).toBe(2)
  expect(store.size.samples).toBeLessThanOrEqual(5)
  expect(valuesAt(store, 'x', 9000)).toEqual([9, 9])
})

test('a series that nothing came for is forgotten', () => {
  const store = storeFor(['x', 'x[10m]'])
  store.append('a', 0, [sample('x', 1)])
  store.forget(11 * 60_000)
  expect(store.size).toEqual({ series: 1, samples: 1 })
  store.forget(11 * 60_000 + 1)
  expect(store.size).toEqual({ series: 0, samples: 0 })
  expect(valuesAt(store, 'x', 1)).toEqual([])
})

test('a selector that nobody announced is answered too', () => {
  const store = storeFor(['x', 'y'])
  store.append('a', 0, [sample('x', 1, { part: 'a' }), sample('x', 2, { part: 'b' }), sample('y', 3)])
  expect(valuesAt(store, 'x{part="b"}', 0)).toEqual([2])
  expect(valuesAt(store, '{part!=""}', 0)).toEqual([1, 2])
})

test('one source takes no more than its share of the series, also when each scrape brings others', () => {
  const store = storeFor(['x'], { series: 10, seriesPerSource: 4 })
  const scrape = (from: number) =>
    Array.from({ length: 3 }, (_, nth) => sample('x', 1, { nth: String(from + nth) }))
  expect(store.append('a', 0, scrape(0)).overLimit).toBe(0)
  expect(store.append('a', 1000, scrape(3))).toMatchObject({ stored: 1, overLimit: 2 })
  expect(store.append('b', 1000, [sample('x', 1, { of: 'b' })]).stored).toBe(1)
  store.forget(3 * lookbackMs)
  expect(store.append('a', 3 * lookbackMs, scrape(0)).stored).toBe(3)
})

test('what is vital is taken when memory is full', () => {
  const store = storeFor(['x', 'up'], { series: 2 })
  store.append('a', 0, [sample('x', 1, { nth: '1' }), sample('x', 1, { nth: '2' })])
  expect(store.append('b', 0, [sample('x', 1, { of: 'b' })]).overLimit).toBe(1)
  expect(store.append('b', 0, [sample('up', 1, { of: 'b' })], true).stored).toBe(1)
  expect(valuesAt(store, 'up', 0)).toEqual([1])
})
