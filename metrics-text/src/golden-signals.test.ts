import { Kit } from '@quarterdeck/kit'
import { expect, test } from 'vitest'
import { formatOf, goldenSignals, KnownLines, readPage } from './index.ts'

const signals = (text: string) => goldenSignals(readPage(text))

test.each([undefined, 'application/openmetrics-text;version=1.0.0'])(
  'what a kit tells is found, for Accept: %s',
  async accept => {
    const kit = new Kit({ name: 'hello' })
    kit.metrics.observe('GET', '/healthz', 0.02)
    kit.metrics.observe('GET', '/healthz', 0.3)
    kit.metrics.observe('GET', '/version', 60)
    const { body, headers } = await kit.metricsText(accept)
    const known = new KnownLines()
    for (let i = 0; i < 2; i++) {
      const { requests, latency, memoryBytes } = goldenSignals(
        readPage(Buffer.from(body), { format: formatOf(String(headers['content-type'])), known }),
      )
      expect(requests).toBe(3)
      expect(latency).toEqual({
        le: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity],
        counts: [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3],
      })
      expect(memoryBytes).toBeGreaterThan(1e6)
    }
  },
)

test('what is not there is null', () => {
  expect(signals('')).toEqual({ requests: null, latency: null, memoryBytes: null })
})

test('series with more labels are added up', () => {
  const bucket = (method: string, le: string, count: number) =>
    `http_request_duration_seconds_bucket{method="${method}",le="${le}"} ${count}\n`
  const text =
    bucket('GET', '+Inf', 3) + bucket('GET', '0.1', 1) + bucket('PUT', '0.1', 2) + bucket('PUT', '+Inf', 2)
  expect(signals(`${text}http_requests_total{a="1"} 1\nhttp_requests_total{a="2"} 2\n`)).toEqual({
    requests: 3,
    latency: { le: [0.1, Infinity], counts: [3, 5] },
    memoryBytes: null,
  })
})

test.each([
  [
    'buckets without a bound, or with none that is a number',
    '_bucket 1',
    '_bucket{le="x"} 1',
    '_bucket{le="NaN"} 1',
  ],
  ['buckets without the one of everything', '_bucket{le="1"} 1'],
  ['a count alone', '_count 5'],
])('%s are no latency', (_what, ...lines) => {
  expect(signals(lines.map(line => `http_request_duration_seconds${line}\n`).join('')).latency).toBeNull()
})

test('values that cannot be are passed by, and counts never decrease', () => {
  const name = 'http_request_duration_seconds'
  const text = `process_resident_memory_bytes NaN\nhttp_requests_total -1\nhttp_requests_total{a="b"} 4
${name}_bucket{le="1"} 9\n${name}_bucket{le="2"} 3\n${name}_bucket{le="3"} NaN\n${name}_count 10\n`
  expect(signals(text)).toEqual({
    requests: 4,
    latency: { le: [1, 2, Infinity], counts: [9, 9, 10] },
    memoryBytes: null,
  })
})
