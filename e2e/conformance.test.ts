/** Every kit, on every framework, keeps every clause of the contract: asked as a user would ask, under load and while stopping. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { serviceKinds, startService } from './conforming-services.ts'
import { qd } from './environment.ts'

const promtool = spawnSync('promtool', ['--version']).error
  ? 'promtool is not installed (Debian: prometheus)'
  : undefined
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
  const directory = temporaryDirectory()
  const scrapes = services.map(
    ({ port }, i) =>
      `  - job_name: service-${i}\n    static_configs: [{targets: ["127.0.0.1:${port}"]}]\n    metrics_path: /metrics\n`,
  )
  writeFileSync(
    join(directory, 'prometheus.yml'),
    `global: {scrape_interval: 1s}\nscrape_configs:\n${scrapes.join('')}`,
  )
  mkdirSync(join(directory, 'data'))
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  onTestFinished(() => void prometheus.kill('SIGKILL'))
  let said = ''
  prometheus.stderr.on('data', chunk => {
    said += chunk
  })
  // It first repeats the port that it was given, 0, and then tells the one that it took.
  const port = await until('Prometheus listens', () => said.match(/address=127\.0\.0\.1:([1-9]\d*)/)?.[1])
  const api = async (path: string) => JSON.parse(await textOf(`http://127.0.0.1:${port}/api/v1/${path}`)).data
  await until('Prometheus is ready', () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  await until(
    'every target is up and both series are there',
    async () => {
      const up = await api('query?query=up==1')
      const counted = await api('query?query=count by (job) (http_requests_total)')
      const timed = await api('query?query=http_request_duration_seconds_count')
      return [up, counted, timed].every(data => data?.result?.length === services.length)
    },
    30_000,
  )
  const metadata = await api('targets/metadata?limit=10000')
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
