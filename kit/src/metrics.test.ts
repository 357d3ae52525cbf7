import { spawnSync } from 'node:child_process'
import { Counter } from 'prom-client'
import { expect, test } from 'vitest'
import { Metrics, unmatchedEndpoint } from './metrics.ts'

const openMetricsAccept = 'application/openmetrics-text; version=1.0.0'

async function textOf(metrics: Metrics, accept?: string): Promise<string> {
  return (await metrics.render(accept)).body
}

/** What may not differ from one moment to the next: samples come and go, as after the first garbage collection. */
const shapeOf = (text: string) => [...text.split('\n').filter(line => line.startsWith('#')), familiesOf(text)]

/** The specification's two families, as they stand in the text. */
function familiesOf(text: string): string {
  return text
    .split('\n')
    .filter(line => /^(# (HELP|TYPE) )?http_request/.test(line))
    .join('\n')
}

test('the two series have the specification’s names, kinds, help texts and labels', async () => {
  const metrics = new Metrics()
  metrics.observe('GET', '/items/:id', 0.3)
  metrics.observe('GET', '/items/:id', 0.04)
  metrics.observe('POST', '/items', 20)
  expect(familiesOf(await textOf(metrics))).toBe(`# HELP http_requests_total Total HTTP requests
# TYPE http_requests_total counter
http_requests_total{method="GET",endpoint="/items/:id"} 2
http_requests_total{method="POST",endpoint="/items"} 1
# HELP http_request_duration_seconds Request latency
# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.005"} 0
http_request_duration_seconds_bucket{le="0.01"} 0
http_request_duration_seconds_bucket{le="0.025"} 0
http_request_duration_seconds_bucket{le="0.05"} 1
http_request_duration_seconds_bucket{le="0.1"} 1
http_request_duration_seconds_bucket{le="0.25"} 1
http_request_duration_seconds_bucket{le="0.5"} 2
http_request_duration_seconds_bucket{le="1"} 2
http_request_duration_seconds_bucket{le="2.5"} 2
http_request_duration_seconds_bucket{le="5"} 2
http_request_duration_seconds_bucket{le="10"} 2
http_request_duration_seconds_bucket{le="+Inf"} 3
http_request_duration_seconds_sum 20.34
http_request_duration_seconds_count 3`)
})

test('a scrape changes nothing: counters only ever rise', async () => {
  const metrics = new Metrics()
  metrics.observe('GET', '/', 0.01)
  const texts = [await textOf(metrics), ...(await Promise.all([textOf(metrics), textOf(metrics)]))]
  expect(new Set(texts.map(familiesOf)).size).toBe(1)
  metrics.observe('GET', '/', 0.01)
  expect(await textOf(metrics)).toContain('http_requests_total{method="GET",endpoint="/"} 2\n')
})

test('before the first request the series are announced', async () => {
  expect(await textOf(new Metrics())).toContain(
    '# HELP http_requests_total Total HTTP requests\n# TYPE http_requests_total counter\n',
  )
})

test('the process is measured too', async () => {
  const text = await textOf(new Metrics())
  const [, bytes] = text.match(/^process_resident_memory_bytes (\d+)$/m) ?? []
  expect(Number(bytes)).toBeGreaterThan(1024 * 1024)
  expect(text).toMatch(/^process_start_time_seconds \d/m)
})

test('the content types are exact', async () => {
  const metrics = new Metrics()
  expect((await metrics.render(undefined)).type).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect((await metrics.render(openMetricsAccept)).type).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  )
})

test('the text has the same shape before and after an OpenMetrics scrape', async () => {
  const metrics = new Metrics()
  metrics.observe('GET', '/', 0.01)
  const before = await textOf(metrics)
  const openMetrics = await textOf(metrics, openMetricsAccept)
  expect(shapeOf(await textOf(metrics))).toEqual(shapeOf(before))
  expect(openMetrics).toContain('# TYPE http_requests counter\nhttp_requests_total{')
  expect(openMetrics).not.toMatch(/^# TYPE \S+_total counter$/m)
  expect(openMetrics.endsWith('\n# EOF\n')).toBe(true)
})

test('promtool finds nothing wrong before and after an OpenMetrics scrape', async context => {
  if (spawnSync('promtool', ['--version']).error)
    context.skip('promtool is not installed (Debian: prometheus)')
  const metrics = new Metrics()
  for (const method of ['GET', 'POST']) metrics.observe(method, unmatchedEndpoint, 0.01)
  expect(promtool(await textOf(metrics))).toEqual({ status: 0, said: '' })
  await textOf(metrics, openMetricsAccept)
  expect(promtool(await textOf(metrics))).toEqual({ status: 0, said: '' })
})

function promtool(text: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test('two in one process do not mix, and each may have series of its own', async () => {
  const [one, other] = [new Metrics(), new Metrics()]
  one.observe('GET', '/one', 0.01)
  other.observe('GET', '/other', 0.01)
  new Counter({ name: 'jobs_total', help: 'Jobs', registers: [one.registry] }).inc()
  const [oneText, otherText] = [await textOf(one), await textOf(other)]
  expect(oneText).toContain('jobs_total 1\n')
  expect(oneText).toContain('endpoint="/one"')
  expect(oneText).not.toContain('endpoint="/other"')
  expect(otherText).not.toMatch(/jobs_total|endpoint="\/one"/)
  expect(otherText).toContain('http_request_duration_seconds_count 1\n')
  for (const text of [oneText, otherText]) {
    expect(text.match(/^# TYPE process_resident_memory_bytes gauge$/gm)).toHaveLength(1)
  }
})
