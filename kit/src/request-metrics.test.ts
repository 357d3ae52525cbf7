import { expect, test } from 'vitest'
import { openMetrics } from './open-metrics.ts'
import { RequestMetrics, unmatchedEndpoint } from './request-metrics.ts'

test('a million different endpoints keep within their bound, and no request is lost', () => {
  const metrics = new RequestMetrics()
  for (let i = 0; i < 1_000_000; i++) metrics.observe('GET', `/path/${i}`, 0.001)
  const samples = [...metrics.text().matchAll(/^http_requests_total\{.*endpoint="(.*)"\} (\d+)$/gm)]
  expect(samples.length).toBeLessThanOrEqual(1001)
  expect(samples.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(1_000_000)
  expect(samples.find(([, endpoint]) => endpoint === unmatchedEndpoint)?.[2]).toBe('999000')
})

test('label values with quotes, backslashes and line breaks are escaped, in both formats', () => {
  const metrics = new RequestMetrics()
  metrics.observe('GET', '/a"b\\c\nd', 0.1)
  const sample = 'http_requests_total{method="GET",endpoint="/a\\"b\\\\c\\nd"} 1'
  expect(metrics.text().split('\n')).toContain(sample)
  expect(openMetrics(metrics.text()).split('\n')).toContain(sample)
})

test('a label value that is not valid Unicode is mended', () => {
  const metrics = new RequestMetrics()
  metrics.observe('GET', '/a\ud800b', 0.1)
  expect(metrics.text()).toContain('endpoint="/a\ufffdb"} 1\n')
})

test('buckets are cumulative, bounds included', () => {
  const metrics = new RequestMetrics()
  for (const seconds of [0.001, 0.005, 0.0051, 3, 100]) metrics.observe('GET', '/', seconds)
  const buckets = [...metrics.text().matchAll(/_bucket\{le="(.+)"\} (\d+)/g)].map(([, le, count]) => [
    le,
    Number(count),
  ])
  expect(buckets).toEqual([
    ['0.005', 2],
    ['0.01', 3],
    ['0.025', 3],
    ['0.05', 3],
    ['0.1', 3],
    ['0.25', 3],
    ['0.5', 3],
    ['1', 3],
    ['2.5', 3],
    ['5', 4],
    ['10', 4],
    ['+Inf', 5],
  ])
  expect(metrics.text()).toContain('http_request_duration_seconds_count 5\n')
  expect(metrics.text()).toMatch(/http_request_duration_seconds_sum 103\.011\d*\n/)
})
