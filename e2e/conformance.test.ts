/** Every kit, on every framework, keeps every clause of the contract: asked as a user would ask, under load and while stopping. */
import { spawnSync } from 'node:child_process'
import { Prometheus, until } from '@quarterdeck/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { serviceKinds, startService } from './conforming-services.ts'
import { qd } from './environment.ts'

const promtool = Prometheus.missing()
const openMetrics = { accept: 'application/openmetrics-text;version=1.0.0' }

const textOf = async (url: string, headers = {}) => (await fetch(url, { headers })).text()

describe.each(serviceKinds)('$name', kind => {
  beforeEach(context => {
    const missing = kind.missing()
    if (missing) context.skip(missing)
  })

  test('keeps every clause', async () => {
    const { url } = await startService(kind)
    const { code, stdout, stderr } = await qd('check', url, '--metrics', '--name', 'hello', '--json')
    const report = JSON.parse(stdout) as { clauses: { id: string; ok: boolean | null; found: string }[] }
    expect([report.clauses.filter(({ ok }) => ok === false), stderr, code]).toEqual([[], '', 0])
  })

  test('has clean metrics, before and after an OpenMetrics scrape', async context => {
    if (promtool) context.skip(promtool)
    const { url } = await startService(kind)
    const before = await textOf(`${url}/metrics`)
    expect(await textOf(`${url}/metrics`, openMetrics)).toMatch(/\n# EOF\n$/)
    for (const text of [before, await textOf(`${url}/metrics`)]) {
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
        input: text,
        encoding: 'utf8',
      })
      expect([status, stdout, stderr]).toEqual([0, '', ''])
    }
  })

  test('under load counts every request once, whoever is asked', async () => {
    const { url } = await startService(kind)
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 40 }, (_, i) => textOf(`${url}/items/${round * 40 + i}`)))
    }
    const sample = `http_requests_total{method="GET",endpoint="${kind.itemTemplate}"} 400\n`
    await until('the count is 400', async () => (await textOf(`${url}/metrics`)).includes(sample))
    const scrapes = await Promise.all(Array.from({ length: 12 }, () => textOf(`${url}/metrics`)))
    expect(scrapes.filter(text => !text.includes(sample))).toEqual([])
  })

  test('while stopping finishes what is under way, and ends well', async () => {
    const service = await startService(kind)
    const slow = Promise.all(Array.from({ length: 20 }, () => textOf(`${service.url}/slow?s=2`)))
    await textOf(`${service.url}/slow?s=0.5`) // all 20 were accepted before this one was answered
    service.process.kill('SIGTERM')
    expect(await slow).toEqual(Array(20).fill('slow\n'))
    expect(await service.ended).toBe(0)
  })
})

test('a real Prometheus scrapes each, and shows the two series with the specification’s help texts', async context => {
  if (promtool) context.skip(promtool)
  const kinds = serviceKinds.filter(kind => !kind.missing())
  const services = await Promise.all(kinds.map(kind => startService(kind)))
  const scrapes = services.map(
    ({ port }, i) =>
      `  - job_name: service-${i}\n    static_configs: [{targets: ["127.0.0.1:${port}"]}]\n    metrics_path: /metrics\n`,
  )
  const prometheus = await Prometheus.start({
    'prometheus.yml': `global: {scrape_interval: 1s}\nscrape_configs:\n${scrapes.join('')}`,
  })
  onTestFinished(() => prometheus.remove())
  const vector = async (query: string) => (await prometheus.api('query', { query })).result
  await until(
    'every target is up and both series are there',
    async () => {
      const up = await vector('up==1')
      const counted = await vector('count by (job) (http_requests_total)')
      const timed = await vector('http_request_duration_seconds_count')
      return [up, counted, timed].every(result => result.length === services.length)
    },
    30_000,
  )
  const metadata = await prometheus.api('targets/metadata', { limit: '10000' })
  for (const [metric, type, help] of [
    ['http_requests_total', 'counter', 'Total HTTP requests'],
    ['http_request_duration_seconds', 'histogram', 'Request latency'],
  ]) {
    // As OpenMetrics, which Prometheus asks for, a counter's family goes without _total.
    const names = [metric, metric?.replace(/_total$/, '')]
    const told = metadata.filter((entry: { metric: string }) => names.includes(entry.metric))
    expect(told.map((entry: { type: string; help: string }) => [entry.type, entry.help])).toEqual(
      services.map(() => [type, help]),
    )
  }
})
