import { expect, test } from 'vitest'
import { familiesOf, KnownLines, PageError, readPage } from './index.ts'

const samplesOf = (text: string, options = {}) =>
  readPage(text, options).samples.map(({ series, value, timestampMs }) => [
    series.name,
    Object.fromEntries(series.labels),
    value,
    timestampMs,
  ])

test('a page is samples and families', () => {
  const page = readPage(
    Buffer.from(
      '# HELP a_total It \\\\ counts\\nlines\n# TYPE a_total counter\na_total{x="\\\\ \\" \\n {},=",y="ü"} 1e3\n# a remark\n#HELP none\n\na_total 2 1700000000000\n# TYPE b gauge\nb -Inf\n',
    ),
  )
  expect([...familiesOf(page).values()]).toEqual([
    { name: 'a_total', type: 'counter', help: 'It \\ counts\nlines', unit: '' },
    { name: 'b', type: 'gauge', help: '', unit: '' },
  ])
  expect(page.samples.map(({ line }) => line)).toEqual([3, 7, 9])
  expect(page.samples[0]!.series).toMatchObject({
    name: 'a_total',
    text: 'a_total{x="\\\\ \\" \\n {},=",y="ü"}',
  })
  expect([...page.samples[0]!.series.labels]).toEqual([
    ['x', '\\ " \n {},='],
    ['y', 'ü'],
  ])
  expect(page.samples.map(({ value, timestampMs }) => [value, timestampMs])).toEqual([
    [1000, undefined],
    [2, 1700000000000],
    [-Infinity, undefined],
  ])
})

test.each<[string, unknown[]]>([
  ['\ta \t{ b = "c" , } \t 1 \t -2 \n', ['a', { b: 'c' }, 1, -2]],
  ['a{b="c"}5\n', ['a', { b: 'c' }, 5, undefined]],
  ['a{} 1\n', ['a', {}, 1, undefined]],
  ['a{b="",c="d"} 1\n', ['a', { c: 'd' }, 1, undefined]],
  ['a{b="\\t\\\\t"} 1\n', ['a', { b: '\\t\\t' }, 1, undefined]],
  [
    'a{b="<script>alert(1)</script>\u0000\r"} 1\n',
    ['a', { b: '<script>alert(1)</script>\u0000\r' }, 1, undefined],
  ],
  [':a:b 1\n', [':a:b', {}, 1, undefined]],
])('free in its form, as Prometheus takes it: %j', (text, sample) => {
  expect(samplesOf(text)).toEqual([sample])
})

test.each([
  ['a 1', 'the last line does not end with a newline', undefined],
  ['a 1\nb{c="d', 'the last line does not end with a newline', undefined],
  ['a 1\r\n', 'it ends with a carriage return; lines end with \\n alone', 1],
  ['# TYPE a gauge\r\na 1\r\n', 'it ends with a carriage return; lines end with \\n alone', 1],
  ['a 1\n\u0000\n', 'a metric name is expected at column 1', 2],
  ['\ufeffa 1\n', 'a metric name is expected at column 1', 1],
  ['a\n', '"" is not a number', 1],
  ['a one\n', '"one" is not a number', 1],
  ['a-5\n', '"-" cannot be in a metric name', 1],
  ['a 1 1.5\n', '"1.5" is not a timestamp', 1],
  ['a 1 2 3\n', 'something follows the timestamp: "3"', 1],
  ['a 1 # {b="c"} 1\n', '"#" is not a timestamp', 1],
  ['a{b="c" d="e"} 1\n', '"," is missing at column 9', 1],
  ['a{b="c"\n', '"," is missing at column 8', 1],
  ['a{b="c\nd"} 1\n', 'the quoted label value at column 5 has no end', 1],
  ['a{b="c\\\n', 'the quoted label value at column 5 has no end', 1],
  ['a{b:c="d"} 1\n', '"=" is missing at column 4', 1],
  ['a{b="c",b="d"} 1\n', 'the label b is there twice', 1],
  ['a{__name__="b"} 1\n', 'the label __name__ is the name of the metric', 1],
  ['# HELP\n', 'HELP names no metric', 1],
  ['# HELP 1a x\n', 'a metric name is expected at column 8', 1],
  ['# TYPE a-b gauge\n', '"-" cannot be in a metric name', 1],
  [
    '# TYPE a stateset\n',
    'TYPE must name a metric and one of counter, gauge, histogram, summary, untyped',
    1,
  ],
  ['<!doctype html>\n', 'a metric name is expected at column 1', 1],
])('%j is refused as a whole', (text, reason, line) => {
  const error = refusal(text)
  expect([error.reason, error.line]).toEqual([reason, line])
})

test('bytes that are not UTF-8, and halves of characters, are refused', () => {
  expect(() => readPage(Buffer.from('a{b="\xff"} 1\n', 'latin1'))).toThrow('the text is not UTF-8')
  expect(() => readPage('a{b="\ud83d"} 1\n')).toThrow('the text is not UTF-8')
})

test('a page may hold a series twice', () => {
  expect(samplesOf('a 1\na 2\n').map(([, , value]) => value)).toEqual([1, 2])
})

test.each([
  ['a 1\nb 2\n', { samples: 1 }, 'line 2: the page has more than 1 samples'],
  ['a{b="cccc"} 1\n', { labelLength: 3 }, 'line 1: the label "b" is longer than 3 characters'],
  ['a{bbbb="c"} 1\n', { labelLength: 3 }, 'line 1: the label "bbbb" is longer than 3 characters'],
  ['a{b="1",c="2"} 1\n', { labels: 1 }, 'line 1: there are more than 1 labels'],
])('%j is over the limit %j', (text, limits, message) => {
  expect(() => readPage(text, { limits })).toThrow(message)
  expect(() => readPage(text, { limits, known: new KnownLines() })).toThrow(message)
  expect(readPage(text).samples.length).toBeGreaterThan(0)
})

test('a page of metadata alone is limited too', () => {
  expect(() => readPage('# HELP a b\n'.repeat(4), { limits: { samples: 1 } })).toThrow(
    'line 4: there are metadata for more than 1 samples',
  )
})

function refusal(text: string): PageError {
  try {
    readPage(text)
  } catch (error) {
    if (error instanceof PageError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(text)} was read`)
}
