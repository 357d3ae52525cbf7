import { expect, test } from 'vitest'
import { openMetrics, prefersOpenMetrics } from './open-metrics.ts'

const om = 'application/openmetrics-text'

test.each([
  [
    'Prometheus 2.42',
    `${om};version=1.0.0,${om};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`,
  ],
  [
    'Prometheus 3',
    `${om};version=1.0.0;escaping=allow-utf-8;q=0.6,${om};version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
  ],
  ['no version', om],
  ['equal rank', `text/plain, ${om}`],
  ['a version in quotes', `${om}; version="1.0.0"`],
  ['upper case and spaces', ' Application/OpenMetrics-Text ; Version=1.0.0 ; Q=0.9 , text/plain ; q=0.8'],
  ['text that is refused', `${om};q=0.1, text/plain;q=0`],
  ['a better general range, but a worse exact one', `${om};q=0.5, text/plain;q=0.1, text/*;q=0.9, */*`],
  ['garbage beside it', `,;;=,q=,${om},\u0000;q=ü`],
])('OpenMetrics is preferred by %s', (_who, accept) => {
  expect(prefersOpenMetrics(accept)).toBe(true)
})

test.each([
  ['nobody in particular', undefined],
  ['an empty header', ''],
  ['curl', '*/*'],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  ['an old Prometheus', 'text/plain;version=0.0.4;q=0.5,*/*;q=0.1'],
  ['who knows only version 0.0.1', `${om};version=0.0.1`],
  ['who ranks text higher', `${om};q=0.5, text/plain;q=0.6`],
  ['who ranks any text higher', `${om};q=0.5, text/*;q=0.6`],
  ['who ranks anything higher', `${om};q=0.5, */*`],
  ['who refuses it', `${om};q=0`],
  ['a q that is no number', `${om};q=high`],
  ['a negative q', `${om};q=-1`],
  ['an endless q', `${om};q=Infinity`],
  ['a look-alike', `${om}-plus, xapplication/openmetrics-text`],
  ['garbage', ';;;,=;q,\u0000'],
])('text is preferred by %s', (_who, accept) => {
  expect(prefersOpenMetrics(accept)).toBe(false)
})

test('counters lose _total in their metadata alone, bounds become floats, and the end is marked', () => {
  const text = `# HELP hits_total All "hits" of a\\\\b
# TYPE hits_total counter
hits_total{path="/x",handle="7"} 3

# a comment
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 1
took_seconds_bucket{le="10"} 2
took_seconds_bucket{le="+Inf"} 2
took_seconds_sum 1.5
took_seconds_count 2
# HELP jobs Counter by another name
# TYPE jobs counter
jobs 4
# HELP odd_total A gauge
# TYPE odd_total gauge
odd_total 1
# HELP raw Anything
# TYPE raw untyped
raw 5
`
  expect(openMetrics(text)).toBe(`# HELP hits All \\"hits\\" of a\\\\b
# TYPE hits counter
hits_total{path="/x",handle="7"} 3
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 1
took_seconds_bucket{le="10.0"} 2
took_seconds_bucket{le="+Inf"} 2
took_seconds_sum 1.5
took_seconds_count 2
# HELP jobs Counter by another name
# TYPE jobs unknown
jobs 4
# HELP odd_total A gauge
# TYPE odd_total gauge
odd_total 1
# HELP raw Anything
# TYPE raw unknown
raw 5
# EOF
`)
})

test('a label value that looks like a bound is left alone', () => {
  const line = 'x{note="le=\\"5\\""} 1'
  expect(openMetrics(`${line}\n`)).toBe(`${line}\n# EOF\n`)
})
