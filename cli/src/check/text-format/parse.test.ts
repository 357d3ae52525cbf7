import { describe, expect, test } from 'vitest'
import { openMetricsProblem } from '../clauses/open-metrics.ts'
import { lint } from './lint.ts'
import { parseText } from './parse.ts'

const histogram = (lines: string) => `# HELP h Help\n# TYPE h histogram\n${lines}`
const whole = 'h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 3\nh_sum 4\nh_count 3\n'

describe('a text in order is read:', () => {
  test('families, kinds, help texts, labels and values', () => {
    const metrics = parseText(
      '# HELP a_total It \\\\ counts\\nlines\n# TYPE a_total counter\na_total{x="\\\\ \\" \\n {},=",y="ü"} 1e3\na_total 2 1700000000000\n\n# a remark\n# TYPE b gauge\nb -Inf\n',
    )
    expect(metrics.get('a_total')).toMatchObject({
      name: 'a_total',
      kind: 'counter',
      help: 'It \\ counts\nlines',
      samples: [{ value: 1000 }, { value: 2 }],
    })
    expect(metrics.get('a_total')!.samples.map(({ series }) => [...series.labels])).toEqual([
      [
        ['x', '\\ " \n {},='],
        ['y', 'ü'],
      ],
      [],
    ])
    expect(metrics.get('b')).toMatchObject({
      kind: 'gauge',
      help: undefined,
      samples: [{ value: -Infinity }],
    })
  })

  test.each([
    ['a sample without metadata', 'a 1\n'],
    ['a comma after the last label', 'a{b="c",} 1\n'],
    ['blanks and tabs', 'a { b = "c" , d="" } \t 1 \t 2\n'],
    ['values of every form', 'a NaN\nb +Inf\nc -1.5E-3\nd .5\ne 5.\n'],
    ['a histogram', histogram(whole)],
    [
      'a histogram for each label',
      histogram(
        whole.replaceAll(/(le="[^"]+")/g, 'm="1",$1').replaceAll(/_(sum|count)/g, '_$1{m="1"}') + whole,
      ),
    ],
    ['a histogram that has seen nothing', histogram('')],
    ['a summary', '# TYPE s summary\ns{quantile="0.5"} 1\ns_sum 2\ns_count 3\n'],
  ])('%s', (_what, text) => {
    expect(parseText(text).size).toBeGreaterThan(0)
  })
})

describe('a text out of order is refused, with its line:', () => {
  test.each([
    ['', 'the text is empty'],
    ['a 1', 'the last line does not end with a newline'],
    ['a 1\r\n', 'line 1: it ends with a carriage return'],
    ['a\n', 'line 1: "" is not a number'],
    ['a 0x10\n', 'line 1: "0x10" is not a number'],
    ['a 1 soon\n', 'line 1: "soon" is not a timestamp'],
    ['a 1 2 3\n', 'line 1: something follows the timestamp'],
    ['1a 1\n', 'line 1: a metric name is expected at column 1'],
    ['a{1="b"} 1\n', 'line 1: a label name is expected at column 3'],
    ['a{b=c} 1\n', 'line 1: a quoted label value'],
    ['a{b="\\t"} 1\n', 'line 1: a label value has an escape other than'],
    ['a{b="c} 1\n', 'line 1: the quoted label value at column 5 has no end'],
    ['a{b="c" d="e"} 1\n', 'line 1: "," is missing at column 9'],
    ['a{,} 1\n', 'line 1: a label name is expected'],
    ['a{b="c",b="d"} 1\n', 'line 1: the label b is there twice'],
    ['a 1\na 2\n', 'line 2: the same series of a is there twice'],
    ['a{x="1",y="2"} 1\na{y="2",x="1"} 2\n', 'line 2: the same series'],
    ['a 1\nb 1\na{x="1"} 1\n', 'line 3: the lines of a are not together'],
    ['a 1\n# TYPE a gauge\n', 'line 2: HELP and TYPE of a must come before'],
    ['a 1\n# HELP a Late\n', 'line 2: HELP and TYPE of a must come before'],
    ['# TYPE a gauge\n# TYPE a gauge\n', 'line 2: a has TYPE twice'],
    ['# HELP a One\n# HELP a Two\n', 'line 2: a has HELP twice'],
    ['# HELP\n', 'line 1: HELP names no metric'],
    ['# HELP a \\t\n', 'line 1: HELP has an escape'],
    ['# TYPE a number\n', 'line 1: TYPE must name a metric and one of'],
    ['# TYPE a\n', 'line 1: TYPE must name a metric and one of'],
    ['# TYPE a counter\na -1\n', 'line 2: the counter a is -1'],
    ['# TYPE a counter\na NaN\n', 'line 2: the counter a is NaN'],
    ['# TYPE a counter\na_total 1\n# TYPE b gauge\nb 1\na 1\n', 'line 5: the lines of a are not together'],
    [histogram('h 1\n'), 'line 3: h is a histogram, whose samples end in'],
    [histogram(whole.replace('h_count 3\n', '')), 'h_count is missing'],
    [histogram(whole.replace('h_sum 4\n', '')), 'h_sum is missing'],
    [histogram(whole.replace('h_count 3', 'h_count 4')), 'the bucket le="+Inf" is not equal to _count'],
    [histogram(whole.replace('h_bucket{le="+Inf"} 3\n', '')), 'h has no bucket le="+Inf"'],
    [histogram(whole.replace('le="1"} 2', 'le="1"} 9')), 'the buckets of h are not cumulative'],
    [histogram(`h_bucket{le="2"} 1\n${whole}`), 'the buckets of h are not in order of le'],
    [histogram(whole.replace('{le="1"}', '')), 'a bucket of h has no number as le'],
    [histogram(whole.replace('le="1"', 'le="x"')), 'a bucket of h has no number as le'],
  ])('%j', (text, problem) => {
    expect(() => parseText(text)).toThrow(problem)
  })
})

test.each([
  ['# TYPE a gauge\na 1\n', 'a: it has no help text'],
  ['# HELP a A\n# TYPE a counter\na 1\n', 'a: a counter’s name ends in _total'],
  ['# HELP a_total A\n# TYPE a_total gauge\na_total 1\n', 'a_total: only a counter’s name ends in _total'],
  [
    '# HELP a_count A\n# TYPE a_count gauge\na_count 1\n',
    'a_count: _count, _sum and _bucket are for histograms',
  ],
  ['# HELP a A\n# TYPE a gauge\na{le="1"} 1\n', 'a: the label le is for histograms'],
  ['# HELP a A\n# TYPE a gauge\na{quantile="1"} 1\n', 'a: the label quantile is for summaries'],
  ['# HELP a:b A\n# TYPE a:b gauge\na:b 1\n', 'a:b: colons are for recording rules'],
  ['# HELP aB A\n# TYPE aB gauge\naB 1\n', 'aB: names are written with_underscores, not in camelCase'],
])('promtool’s objection to %j is ours', (text, objection) => {
  expect(lint(parseText(text))).toEqual([objection])
})

test.each([
  ['# TYPE a counter\n# HELP a A\na_total{x="1"} 1.0 1700000000.5 # {t="1"} 2\n# EOF\n', undefined],
  ['a 1\n', 'the last line is not # EOF'],
  ['# EOF\na 1\n# EOF\n', 'line 1: # EOF is not at the end'],
  [
    '# TYPE a_total counter\na_total 1\n# EOF\n',
    'line 2: a_total is of type counter, whose samples are a_total_total, a_total_created',
  ],
  ['# TYPE a counter\na 1\n# EOF\n', 'line 2: a is of type counter, whose samples are a_total, a_created'],
  ['a 1\n\nb 1\n# EOF\n', 'line 2: it is empty'],
  ['# remark\n# EOF\n', 'line 1: it is neither HELP, TYPE nor UNIT'],
  ['a one\n# EOF\n', 'line 1: "one" is not a number'],
])('OpenMetrics %j', (text, problem) => {
  expect(openMetricsProblem(Buffer.from(text))).toBe(problem)
})
