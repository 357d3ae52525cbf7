import { readPage } from '@quarterdeck/metrics-text'
import { expect, test } from 'vitest'
import { Intake, reportedNeeds } from './intake.ts'
import { needOfName } from './needs.ts'
import { queryAnswer } from './query.ts'
import { SeriesStore } from './series.ts'
import { Target } from './target.ts'

function begin() {
  const store = new SeriesStore([...reportedNeeds, needOfName('x'), needOfName('y')])
  const intake = new Intake(store)
  const target = new Target('hello', {
    ...{ __address__: 'web-1:80', __metrics_path__: '/metrics', __scheme__: 'http', job: 'hello' },
    ...{ __scrape_interval__: '15s', __scrape_timeout__: '5s', group: '<script>alert(1)</script>' },
  })
  const take = (atMs: number, text: string) =>
    intake.take(target, { atMs, durationMs: 2, page: readPage(text), error: '' })
  const fail = (atMs: number, error = 'it hung') =>
    intake.take(target, { atMs, durationMs: 0, page: null, error })
  const ask = (query: string, atMs: number): unknown =>
    JSON.parse(queryAnswer(store, new URLSearchParams({ query }), atMs).body).data.result.map(
      ({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => [metric, value[1]],
    )
  const values = (query: string, atMs: number) =>
    (ask(query, atMs) as [unknown, string][]).map(([, value]) => value)
  return { intake, target, store, take, fail, ask, values }
}

test('what a target says of itself does not take the place of its own labels', () => {
  const { take, ask } = begin()
  take(1000, 'x{job="other",instance="me",exported_job="old",part="a"} 1\n')
  expect(ask('x', 1000)).toEqual([
    [
      {
        ...{ __name__: 'x', job: 'hello', instance: 'web-1:80', group: '<script>alert(1)</script>' },
        ...{ exported_job: 'old', exported_instance: 'me', part: 'a' },
      },
      '1',
    ],
  ])
})

test('whether a job is up and what memory it takes can be asked for without a rule that names it', () => {
  const { take, values } = begin()
  take(1000, 'process_resident_memory_bytes 4096\nhttp_requests_total 7\n')
  expect([values('up', 1000), values('process_resident_memory_bytes', 1000)]).toEqual([['1'], ['4096']])
  expect(values('http_requests_total', 1000)).toEqual([])
})

test('the first of two samples counts, NaN and infinities are values, and a time of the page is kept', () => {
  const { take, values } = begin()
  take(10_000, 'x{a="1"} 1\nx{a="1"} 2\nx{a="2"} NaN\nx{a="3"} +Inf\ny 7 9000\n')
  expect(values('x', 10_000)).toEqual(['1', 'NaN', '+Inf'])
  expect(values('timestamp(y)', 10_000)).toEqual(['9'])
  take(20_000, 'x{a="1"} 5\ny 6 8000\n')
  expect(values('y', 20_000)).toEqual(['7'])
  expect(values('x', 20_000)).toEqual(['5'])
})

test('a page that cannot be read ends all of its series, and the target is down', () => {
  const { take, fail, values, target } = begin()
  take(10_000, 'x 1\n')
  expect([values('x', 10_000), values('up', 10_000), values('scrape_samples_scraped', 10_000)]).toEqual([
    ['1'],
    ['1'],
    ['1'],
  ])
  expect(() => readPage('x 1\ny 2')).toThrow('the last line does not end with a newline')
  fail(20_000, 'the last line does not end with a newline')
  expect([values('x', 20_000), values('up', 20_000), values('scrape_samples_scraped', 20_000)]).toEqual([
    [],
    ['0'],
    ['0'],
  ])
  expect(target.shown()).toMatchObject({
    health: 'down',
    lastError: 'the last line does not end with a newline',
  })
})

test('a scrape that comes after a later one is left out', () => {
  const { take, fail, values } = begin()
  take(20_000, 'x 2\n')
  fail(10_000)
  expect(values('up', 20_000)).toEqual(['1'])
})

test('a target that is gone leaves nothing behind', () => {
  const { take, intake, target, values } = begin()
  take(10_000, 'x 2\n')
  intake.end(target, 20_000)
  expect([values('x', 20_000), values('up', 20_000)]).toEqual([[], []])
})

test('a time far ahead shuts out nothing that comes after it', () => {
  const { take, values, store } = begin()
  take(10_000, `x 1 ${10_000 + 11 * 60_000}\ny 1 ${10_000 + 9 * 60_000}\n`)
  expect(values('x', 20_000)).toEqual([])
  take(20_000, 'x 2\n')
  expect(values('x', 20_000)).toEqual(['2'])
  store.forget(10_000 + 40 * 60_000)
  expect(store.size.series).toBe(0)
})

test('labels that JavaScript has a meaning for are labels', () => {
  const { take, ask } = begin()
  take(1000, 'x{__proto__="a",constructor="b"} 1\nx{__proto__="c",constructor="b"} 2\n')
  expect(JSON.stringify(ask('x', 1000))).toMatch(/"__proto__":"a".*"__proto__":"c"/)
})
