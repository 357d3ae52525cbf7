import { expect, test } from 'vitest'
import { type CheckOptions, checkService } from '../index.ts'
import { at, type Break, breaches, brokenService, expectBreaches, type Reply } from '../under-test.ts'

/** Changes the plain text, or both texts, of the metrics. */
const text = (from: string | RegExp, to: string): Break =>
  at('/metrics', reply => ({ body: String(reply.body).replace(from, to) }))
const isOpen = ({ headers }: Reply) => headers['content-type']!.startsWith('application/openmetrics')
const openText = (from: string | RegExp, to: string): Break =>
  at('/metrics', reply => (isOpen(reply) ? { body: String(reply.body).replace(from, to) } : {}))

let wasOpen = false

const broken: [what: string, ids: string[], change: Break, options?: CheckOptions][] = [
  ['metrics fail', ['metrics.status'], at('/metrics', () => ({ status: 500 }))],
  ['metrics are demanded', ['metrics.status'], at('/metrics', () => ({ status: 404 })), { metrics: true }],
  [
    'metrics are another type of text',
    ['metrics.type'],
    at('/metrics', reply => (isOpen(reply) ? {} : { headers: { 'content-type': 'text/plain' } })),
  ],
  ['a bucket is not cumulative', ['metrics.text'], text(/(le="0.005"\}) \d+/, '$1 99999')],
  ['no newline at the end', ['metrics.text'], text(/\n$/, '')],
  [
    'metrics are not UTF-8',
    ['metrics.text'],
    at('/metrics', ({ body: all }) => ({
      body: Buffer.concat([Buffer.from(all), Buffer.from('# \xff\n', 'latin1')]),
    })),
  ],
  ['a metric without help', ['metrics.lint'], text(/^/, '# TYPE extra gauge\nextra 1\n')],
  ['another help text', ['metrics.requests'], text('Total HTTP requests', 'Requests')],
  ['another kind', ['metrics.requests'], text('http_requests_total counter', 'http_requests_total untyped')],
  ['another label', ['metrics.requests'], text(/endpoint="/g, 'status="200",endpoint="')],
  ['another latency', ['metrics.latency'], text('Request latency', 'Latency')],
  [
    'latency by method',
    ['metrics.latency'],
    at('/metrics', ({ body }) => ({
      body: String(body)
        .replace(/(http_request_duration_seconds_(?:sum|count)) /g, '$1{method="GET"} ')
        .replace(/(http_request_duration_seconds_bucket\{)/g, '$1method="GET",'),
    })),
  ],
  ['no memory', ['metrics.process'], text(/process_resident_memory_bytes/g, 'other_memory_bytes')],
  ['probes are not counted', ['metrics.counted'], text(/(endpoint="\/healthz"\}) \d+/g, '$1 1')],
  [
    'every worker counts for itself',
    ['metrics.monotonic'],
    at('/metrics', (reply, { before }) =>
      isOpen(reply)
        ? {}
        : {
            body: `# HELP jobs_total Jobs\n# TYPE jobs_total counter\njobs_total ${(before + 1) % 2}\n${reply.body}`,
          },
    ),
  ],
  [
    'OpenMetrics by no name',
    ['openmetrics.type'],
    at('/metrics', reply =>
      isOpen(reply) ? { headers: { 'content-type': 'application/openmetrics-text' } } : {},
    ),
  ],
  [
    'no OpenMetrics',
    ['openmetrics.type'],
    at('/metrics', reply => (isOpen(reply) ? { headers: { 'content-type': 'text/html' } } : {})),
  ],
  [
    'OpenMetrics against the wish',
    ['openmetrics.type'],
    at('/metrics', (_, { request }) =>
      request.headers.accept?.includes('q=0.1')
        ? { headers: { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' } }
        : {},
    ),
  ],
  ['OpenMetrics without end', ['openmetrics.text'], openText('# EOF\n', '')],
  [
    'OpenMetrics with _total',
    ['openmetrics.text'],
    openText('TYPE http_requests counter', 'TYPE http_requests_total counter'),
  ],
  [
    'OpenMetrics spoils the plain text',
    ['openmetrics.plain-after'],
    at('/metrics', (reply, { request }) => {
      wasOpen ||= isOpen(reply) && !request.headers.accept?.includes('q=')
      return wasOpen && !isOpen(reply)
        ? { body: String(reply.body).replaceAll('process_cpu_user', 'cpu_user') }
        : {}
    }),
  ],
]

test.each(broken)(
  '%s: that is found, and nothing else is called a breach',
  async (_what, ids, change, options = {}) => {
    expectBreaches(await checkService(await brokenService(change), options), ids)
  },
)

test('every path is an endpoint of its own', async () => {
  const paths = new Set<string>()
  const url = await brokenService((reply, { path }) => {
    if (path.startsWith('/qd-check')) paths.add(path)
    if (path !== '/metrics') return {}
    const lines = [...paths].map(seen => `http_requests_total{method="GET",endpoint="${seen}"} 1\n`)
    return {
      body: String(reply.body).replace(/http_requests_total\{.*endpoint="unmatched"\} \d+\n/, lines.join('')),
    }
  })
  const report = await checkService(url)
  expect(breaches(report)).toContain('metrics.unmatched')
})

test('unknown paths are not counted', async () => {
  const url = await brokenService(
    at('/metrics', ({ body: all }) => ({
      body: String(all).replace(/(endpoint="unmatched"\}) \d+/, '$1 1'),
    })),
  )
  expect(breaches(await checkService(url))).toEqual(['metrics.unmatched'])
})
