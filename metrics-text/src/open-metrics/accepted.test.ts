/** Pages that the standard shows, or says to be right. */
import { expect, test } from 'vitest'
import { familiesOf, readPage } from '../index.ts'

const read = (text: string) => readPage(text, { format: 'openmetrics' })

const whole = `# TYPE acme_http_router_request_seconds summary
# UNIT acme_http_router_request_seconds seconds
# HELP acme_http_router_request_seconds Latency though all of ACME's HTTP request router.
acme_http_router_request_seconds_sum{path="/api/v1",method="GET"} 9036.32
acme_http_router_request_seconds_count{path="/api/v1",method="GET"} 807283.0
acme_http_router_request_seconds_created{path="/api/v1",method="GET"} 1605281325.0
acme_http_router_request_seconds_sum{path="/api/v2",method="POST"} 479.3
acme_http_router_request_seconds_count{path="/api/v2",method="POST"} 34.0
acme_http_router_request_seconds_created{path="/api/v2",method="POST"} 1605281325.0
# TYPE go_goroutines gauge
# HELP go_goroutines Number of goroutines that currently exist.
go_goroutines 69
# TYPE process_cpu_seconds counter
# UNIT process_cpu_seconds seconds
# HELP process_cpu_seconds Total user and system CPU time spent in seconds.
process_cpu_seconds_total 4.20072246e+06
`

test('a page is samples and families, with units', () => {
  const page = read(`${whole}# EOF\n`)
  expect([...familiesOf(page).values()].map(({ name, type, unit }) => [name, type, unit])).toEqual([
    ['acme_http_router_request_seconds', 'summary', 'seconds'],
    ['go_goroutines', 'gauge', ''],
    ['process_cpu_seconds', 'counter', 'seconds'],
  ])
  expect(page.samples).toHaveLength(8)
  expect(page.samples[7]).toMatchObject({ value: 4200722.46, line: 16 })
})

test('an exemplar has labels, a value and perhaps a time', () => {
  const { samples } = read(
    '# TYPE a counter\na_total 1.0 1520879607.789 # {trace_id="x",b="\\n"} 0.67 1520879607.5\n# EOF\n',
  )
  expect(samples[0]).toMatchObject({
    value: 1,
    timestampMs: 1520879607789,
    exemplar: { value: 0.67, timestampMs: 1520879607500 },
  })
  expect([...samples[0]!.exemplar!.labels]).toEqual([
    ['trace_id', 'x'],
    ['b', '\n'],
  ])
})

test.each([
  ['nothing', ''],
  ['a gauge', '# TYPE foo gauge\nfoo 17.0\n'],
  ['a gauge for each label', '# TYPE foo gauge\nfoo{a="bb"} 17.0\nfoo{a="ccc"} 17.0\n'],
  ['a family without metrics', '# TYPE foo gauge\n'],
  ['a family by its help alone', '# HELP foo Foo\n'],
  ['a timestamp', '# TYPE foo gauge\nfoo{a="b"} 17.0 1520879607.789\n'],
  ['a negative timestamp', 'foo 1 -5\n'],
  ['two points', '# TYPE foo gauge\nfoo 17.0 123\nfoo 18.0 456\n'],
  ['no type', 'foo 1\nbar{} 2\n'],
  ['numbers of every form', 'a NaN\nb +Inf\nc -Infinity\nd 0042\ne 5.\nf .5\ng 1E-3\nh nan\n'],
  ['no end of the last line', ''],
  ['empty help and unit', '# HELP foo \n# UNIT foo \nfoo 1\n'],
  ['metadata in any order', '# HELP a_s \\"A\\" \\\\ \\n \\x\n# UNIT a_s s\n# TYPE a_s gauge\n'],
  ['a unit that is not told', '# TYPE foo_seconds counter\n'],
  ['labels of every kind', 'a{b="\\"\\\\\\n\\x",c="ü€😀",d="",e="{},= #"} 1\n'],
  ['names with underscores first', '_a{_b="c"} 1\n'],
  ['NUL and carriage return in a value', 'a{b="\u0000\r"} 1\n'],
  ['a counter', '# TYPE foo counter\nfoo_total 17.0\n'],
  [
    'a counter that is new',
    '# TYPE foo counter\nfoo_total 17.0 1520879607.789\nfoo_created 1520430000.123 1520879607.789\n',
  ],
  ['a counter that was created before 1970', '# TYPE foo counter\nfoo_total 1\nfoo_created -5\n'],
  ['an endless counter', '# TYPE foo counter\nfoo_total +Inf\n'],
  ['a state set', '# TYPE foo stateset\nfoo{foo="a"} 0\nfoo{foo="bb"} 1\nfoo{foo="ccc"} 0\n'],
  [
    'state sets by entity',
    '# TYPE foo stateset\nfoo{entity="x",foo="a"} 1.0\nfoo{entity="x",foo="b"} 0.0\nfoo{foo="a",entity="y"} 1.0\nfoo{entity="y",foo="b"} 1\n',
  ],
  ['an info', '# TYPE foo info\nfoo_info{name="pretty name",version="8.2.7"} 1\n'],
  ['infos', '# TYPE foo info\nfoo_info{entity="a",name="b"} 1.0\nfoo_info{entity="c",name="d"} 1.0\n'],
  ['a summary', '# TYPE foo summary\nfoo_count 17.0\nfoo_sum 324789.3\nfoo_created 1520430000.123\n'],
  [
    'quantiles in any order',
    '# TYPE foo summary\nfoo{quantile="0.99"} 150.0\nfoo{quantile="0.95"} NaN\nfoo{quantile="1"} 1\nfoo{quantile="0.0"} 1\n',
  ],
  [
    'points of a summary',
    '# TYPE foo summary\nfoo_count{a="b"} 0 123\nfoo_sum{a="b"} 0 123\nfoo_count{a="b"} 0 456\nfoo_sum{a="b"} 0 456\nfoo_count{a="c"} 0 123\nfoo_sum{a="c"} 0 123\n',
  ],
  [
    'a histogram',
    '# TYPE foo histogram\nfoo_bucket{le="0.0"} 0\nfoo_bucket{le="1e-05"} 0\nfoo_bucket{le="0.0001"} 5\nfoo_bucket{le="1.1e+23"} 17\nfoo_bucket{le="+Inf"} 17\nfoo_count 17\nfoo_sum 324789.3\nfoo_created 1520430000.123\n',
  ],
  [
    'exemplars',
    '# TYPE foo histogram\nfoo_bucket{le="0.01"} 0\nfoo_bucket{le="0.1"} 8 # {} 0.054\nfoo_bucket{le="1"} 11 # {trace_id="KOO5S4vxi0o"} 0.67\nfoo_bucket{le="10"} 17 # {trace_id="oHg5SJYRHA0"} 9.8 1520879607.789\nfoo_bucket{le="+Inf"} 17\n',
  ],
  ['an exemplar of 128 characters', `# TYPE a counter\na_total 1 # {id="${'😀'.repeat(126)}"} 1\n`],
  ['negative bounds without a sum', '# TYPE a histogram\na_bucket{le="-1.0"} 1\na_bucket{le="+Inf"} 2\n'],
  [
    'a gauge histogram',
    '# TYPE foo gaugehistogram\nfoo_bucket{le="0.01"} 20.0\nfoo_bucket{le="1"} 34.0\nfoo_bucket{le="+Inf"} 42.0\nfoo_gcount 42.0\nfoo_gsum 3289.3\n',
  ],
  [
    'a gauge histogram of negative values',
    '# TYPE foo gaugehistogram\nfoo_bucket{le="-1"} 2\nfoo_bucket{le="+Inf"} 2\nfoo_gcount 2\nfoo_gsum -3\n',
  ],
  ['a name that ends as another type’s', '# TYPE a gauge\na 1\n# TYPE a_sum gauge\na_sum 1\n'],
  ['the name of a type as unit', '# TYPE a_info gauge\n# UNIT a_info info\n'],
])('%s', (_what, text) => {
  expect(() => read(`${text}# EOF`)).not.toThrow()
  expect(() => read(`${text}# EOF\n`)).not.toThrow()
})
