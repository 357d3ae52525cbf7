import { expect, test } from 'vitest'
import { labelsOf } from '../labels.ts'
import { needsOf } from '../needs.ts'
import { SeriesStore } from '../series.ts'
import { evaluate } from './evaluate.ts'
import { parseExpression } from './parse.ts'

/** Two instances of a job, with a counter that begins anew. */
function storeFor(text: string): SeriesStore {
  const store = new SeriesStore(needsOf([parseExpression(text)]))
  for (const [instance, factor] of [
    ['a', 1],
    ['b', 10],
  ] as const) {
    const series = (name: string, more = {}) => labelsOf({ __name__: name, job: 'hello', instance, ...more })
    for (let turn = 0; turn <= 10; turn++) {
      store.append(instance, turn * 10_000, [
        { labels: series('up'), value: instance === 'b' && turn > 7 ? 0 : 1 },
        { labels: series('alive'), value: 1 },
        { labels: series('requests_total', { code: '200' }), value: (turn % 8) * factor },
        { labels: series('requests_total', { code: '500' }), value: 2 * turn },
      ])
    }
  }
  return store
}

function values(text: string): Record<string, number> | number {
  const result = evaluate(parseExpression(text), { store: storeFor(text), atMs: 100_000 })
  if (typeof result === 'number') return result
  return Object.fromEntries(
    result.map(({ labels, value }) => [labels.values.filter(one => one !== 'hello').join(' '), value]),
  )
}

test.each([
  ['up == 0', { 'up b': 0 }],
  ['up == bool 0', { a: 0, b: 1 }],
  ['increase(requests_total{code="500"}[40s])', { '500 a': 8, '500 b': 8 }],
  ['rate(requests_total{code="200"}[40s])', { '200 a': 0.075, '200 b': 0.75 }],
  ['sum by (code) (rate(requests_total[40s]))', { 200: 0.825, 500: 0.4 }],
  ['requests_total{code="500"} - ignoring(code) requests_total{code="200"}', { a: 18, b: 0 }],
  ['up unless on (instance) requests_total > 19', {}],
  ['up and on (instance) requests_total{code="200"} > 19', { 'up b': 0 }],
  ['absent(down{job="hello",x=~"y"})', { '': 1 }],
  ['scalar(sum(up)) * 2', 2],
])('%s', (text, expected) => {
  expect(values(text)).toEqual(expected)
})

test('elements of one side that match the same are named', () => {
  expect(() => values('requests_total / ignoring(code) up')).toThrow(/among them \{.*code="\d00".*group_left/)
  expect(() => values('up / on(job) up')).toThrow(/on the right side both match/)
  expect(values('down / on(job) up')).toEqual({})
})

test('names that are dropped must not have told series apart', () => {
  for (const text of [
    '-{__name__=~"up|alive"}',
    '{__name__=~"up|alive"} + 1',
    'rate({__name__=~"up|alive"}[1m])',
  ]) {
    expect(() => values(text)).toThrow(
      /two series of the result have the same labels: \{instance="a", job="hello"\}/,
    )
  }
  expect(values('{__name__=~"up|alive"} > 0')).toEqual({ 'alive a': 1, 'alive b': 1, 'up a': 1 })
})

test('an evaluation that reads too much is given up', () => {
  const text = 'sum_over_time(requests_total[5m])'
  const evaluation = (mostSamples: number) => () =>
    evaluate(parseExpression(text), { store: storeFor(text), atMs: 100_000, mostSamples })
  expect(evaluation(44)).not.toThrow()
  expect(evaluation(43)).toThrow('it reads more than 43 samples. Name fewer series, or a shorter range')
})
