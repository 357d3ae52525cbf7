import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '@quarterdeck/kit'
import { Prometheus, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { Store } from '../store/index.ts'
import { apiInstance, ServiceUnderTest, serviceOf } from '../watch/service-under-test.ts'
import type { MetricsEngine } from './engine.ts'
import { EmbeddedEngine } from './engines/embedded/index.ts'
import { PrometheusEngine } from './engines/prometheus/index.ts'
import { type Begun, metricsEngineSuite, quick, type SuiteOptions } from './suite.ts'
import { type Around, beginMetrics, writeFiles } from './under-test.ts'

const missing = Prometheus.missing()

const on =
  (engine: (around: Around) => MetricsEngine): SuiteOptions['begin'] =>
  async ({ home, files, port }): Promise<Begun> => {
    const service = await ServiceUnderTest.start()
    const metrics = await beginMetrics({
      ...{ engine, files, clock: systemClock, intervalMs: 1000 },
      ...(home !== undefined && { home }),
      services: [serviceOf([apiInstance(port ?? service.port)])],
      store: directory => Store.open(sqliteEngine(join(directory, 'database.sqlite'))),
    })
    metrics.watch.start()
    return { metrics, service }
  }

const embedded = on(around => new EmbeddedEngine(around))
const prometheus = on(({ home, log }) => new PrometheusEngine({ home, log, program: 'prometheus' }))

metricsEngineSuite('embedded', { begin: embedded })
metricsEngineSuite('Prometheus', { begin: prometheus, missing })

type Json = Record<string, unknown>

/** What differs from scrape to scrape, and in words, by its kind alone. */
const still = (target: Json): Json => ({
  ...target,
  lastScrape: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(target.lastScrape)),
  // Also of one that failed, and to the nanosecond.
  lastScrapeDuration: Number(target.lastScrapeDuration) > 0 && isNanoseconds(target.lastScrapeDuration),
  lastError: target.lastError === '',
})

const isNanoseconds = (seconds: unknown): boolean =>
  !/\.\d{10}/.test(Number(seconds).toFixed(12).replace(/0+$/, ''))

/** Targets that are written in all the ways that there are. */
const many = (port: number): string => {
  const at = (...targets: string[]) => ({ targets })
  const job = (job_name: string, static_configs: object[], more: object = {}) => ({
    job_name,
    static_configs,
    ...more,
  })
  return stringify({
    scrape_configs: [
      job('nobody', [{ ...at('127.0.0.1:1'), labels: { rack: '<b>"&', empty: '' } }]),
      job('without-port', [at('localhost')]),
      job('secure', [at('127.0.0.1'), at('127.0.0.1:1')], { scheme: 'https' }),
      job('six', [at('[::1]', '[::1]:1')]),
      job('unknown-name', [at('nowhere.invalid:80')]),
      job('renamed', [{ ...at(`127.0.0.1:${port}`), labels: { job: 'other', instance: 'me' } }]),
      job('renamed-too', [{ ...at(`127.0.0.1:${port}`), labels: { job: 'other', instance: 'me' } }]),
      job('emptied', [{ ...at(`127.0.0.1:${port}`), labels: { job: '' } }]),
      job('twice', [
        at(`127.0.0.1:${port}`, `localhost:${port}`, `127.0.0.1:${port}`),
        { ...at(`127.0.0.1:${port}`), labels: { a: 'b' } },
      ]),
      job('elsewhere', [{ ...at(`127.0.0.1:${port}`), labels: { __metrics_path__: '/healthz' } }], {
        metrics_path: '/nowhere',
        scrape_interval: '1500ms',
        scrape_timeout: '1s',
      }),
      job('missing', [at(`127.0.0.1:${port}`)], { metrics_path: '/nowhere' }),
      job('none', []),
    ],
  })
}

/** Within a while both say the same. */
async function agree(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  let said: unknown[] = []
  const isSame = async () => {
    said = [await one(), await other()]
    return isDeepStrictEqual(said[0], said[1])
  }
  await until('both say the same', isSame, 30_000).catch(() => undefined)
  expect(said[0]).toEqual(said[1])
}

test('a client cannot tell the engines apart on targets, rules and errors', {
  timeout: 120_000,
}, async context => {
  if (missing) context.skip(missing)
  const shared = await ServiceUnderTest.start()
  const files = { 'scrape/own.yml': many(shared.port), 'rules/quick.yml': quick(1) }
  const [here, there] = await Promise.all([embedded({ files }), prometheus({ files })])
  const scraped = async ({ metrics }: Begun): Promise<Json[]> =>
    until(
      'all is scraped',
      async () => {
        const targets: Json[] = (await metrics.ask('targets')).data?.activeTargets ?? []
        return targets.length > 2 && targets.every(({ health }) => health !== 'unknown') && targets
      },
      20_000,
    )
  const atPort = (json: unknown, { service, metrics }: Begun) =>
    JSON.parse(JSON.stringify(json).replaceAll(String(service.port), 'PORT').replaceAll(metrics.home, 'HOME'))
  const targets = async (one: Begun) => atPort((await scraped(one)).map(still), one)
  // Of one job they come in any order.
  const inOrder = (all: Json[]) => all.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const keyOf = ({ scrapePool, labels, scrapeUrl }: Json) => JSON.stringify([scrapePool, labels, scrapeUrl])
  // Down or up for a moment each may be by itself. Also the order of what they say is the same.
  const shown = async (one: Begun) => JSON.stringify(inOrder(await targets(one)), null, 1)
  await agree(
    () => shown(here),
    () => shown(there),
  )
  const both = async (
    question: 'targets' | 'rules' | 'alerts' | 'query',
    parameters: Record<string, string>,
  ) => Promise.all([here, there].map(({ metrics }) => metrics.ask(question, parameters)))
  for (const state of ['active', 'dropped', 'any', 'nonsense']) {
    const [one, other] = await both('targets', { state })
    expect(Object.keys(one!.data)).toEqual(Object.keys(other!.data))
    expect(one!.data.activeTargets).toHaveLength(other!.data.activeTargets.length)
  }
  for (const scrapePool of ['twice', 'nowhere']) {
    const [one, other] = await both('targets', { scrapePool })
    expect(one!.data.activeTargets).toHaveLength(other!.data.activeTargets.length)
  }
  for (const type of ['x', 'constructor', '__proto__']) {
    const [wrong, alsoWrong] = await both('rules', { type })
    expect(wrong).toEqual(alsoWrong)
  }
  const [limit, otherLimit] = await both('query', { query: 'up', timeout: 'abc' })
  expect(limit).toEqual(otherLimit)
  const [odd, alsoOdd] = await both('query', { query: 'up', time: 'abc' })
  expect(odd).toEqual(alsoOdd)
  for (const one of [here, there])
    await until(
      'it fires',
      async () => {
        const { data } = await one.metrics.ask('alerts')
        return data.alerts.some(({ state }: Json) => state === 'firing')
      },
      20_000,
    )
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? // Alerts come in any order.
        value.map(shape).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, one]) => [key, shape(one)]),
          )
        : typeof value
  const quickGroup = async (one: Begun) => {
    const { groups } = (await one.metrics.ask('rules')).data as { groups: Json[] }
    return shape(
      atPort(
        groups.find(({ name }) => name === 'quick'),
        one,
      ),
    )
  }
  await agree(
    () => quickGroup(here),
    () => quickGroup(there),
  )
  const values = async (one: Begun) => {
    const { data } = await one.metrics.ask('query', { query: 'up * 1e-7' })
    const found: { metric: Json; value: [number, string] }[] = atPort(data.result, one)
    // Neither promises an order.
    return found.map(({ metric, value }) => JSON.stringify([metric, value[1]])).sort()
  }
  await agree(
    () => values(here),
    () => values(there),
  )
})

test('why a Prometheus refuses a file is told with the file', { timeout: 60_000 }, async context => {
  if (missing) context.skip(missing)
  const { metrics } = await prometheus({ files: {} })
  await until('it is ready', () => metrics.server.isReady(), 20_000)
  writeFiles(metrics.home, { 'rules/own.yml': 'groups:\n- name: own\n  rulez: []\n' })
  await expect(metrics.server.reload()).rejects.toThrow(/rules\/own\.yml: .*line 3: field rulez not found/s)
})

test('a Prometheus that is gone is said, started again and said to be back', {
  timeout: 60_000,
}, async context => {
  if (missing) context.skip(missing)
  const { metrics } = await prometheus({ files: {} })
  const { server, home, log, ask } = metrics
  await until('it is ready', () => server.isReady(), 20_000)
  process.kill(Number(readFileSync(join(home, 'prometheus/quarterdeck.pid'), 'utf8')), 'SIGKILL')
  await until('it is gone', async () => !(await server.isReady()))
  expect(await ask('targets')).toMatchObject({ status: 'error', errorType: 'unavailable' })
  await until('it is back', () => server.isReady(), 20_000)
  await until('it has its targets', async () => (await ask('targets')).data?.activeTargets.length === 1)
  const said = log.lines.map(({ msg }) => msg)
  for (const text of [
    'Prometheus has ended, and is started again',
    'Prometheus is gone',
    'Prometheus is back',
  ])
    expect(said).toContainEqual(expect.stringContaining(text))
})

test('a Prometheus that a killed control left behind is ended before another is started', {
  timeout: 60_000,
}, async context => {
  if (missing) context.skip(missing)
  const { metrics } = await prometheus({ files: {} })
  await until('it is ready', () => metrics.server.isReady(), 20_000)
  const pid = readFileSync(join(metrics.home, 'prometheus/quarterdeck.pid'), 'utf8')
  const next = new PrometheusEngine({ home: metrics.home, log: metrics.log.log, program: 'prometheus' })
  const stopped = metrics.stop()
  writeFileSync(join(metrics.home, 'prometheus/quarterdeck.pid'), pid)
  await next.start()
  await until('the next is ready', () => next.isReady(), 20_000)
  await next.stop()
  await stopped
})

test('of a Prometheus that does not answer, the reason is told', {
  timeout: 60_000,
}, async () => {
  const closed = await ServiceUnderTest.start()
  const url = `http://127.0.0.1:${closed.port}/`
  await closed.stop()
  const none = on(({ home, log }) => new PrometheusEngine({ home, log, url }))
  const { metrics } = await none({ files: {} })
  expect(await metrics.ask('query', { query: 'up' })).toMatchObject({ errorType: 'unavailable' })
  await expect(metrics.server.reload()).rejects.toThrow('Prometheus does not answer (ECONNREFUSED)')
  expect(await metrics.server.isReady()).toBe(false)
})

test('a page of a million series is refused by its length, and nothing of it is kept', {
  timeout: 60_000,
}, async () => {
  const { metrics, service } = await embedded({
    files: { 'rules/quick.yml': quick(3).replace('up == 0', 'x > 0') },
  })
  const line = (nth: number) => `x{nth="${nth}"} 1\n`
  const page = Array.from({ length: 1_000_000 }, (_, nth) => line(nth)).join('')
  const short = Array.from({ length: 200_000 }, (_, nth) => `x${line(nth).slice(1, -2)}1\n`).join('')
  let body = page
  ;(service as ServiceUnderTest).answers['/metrics'] = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(body)
  }
  const health = (text: RegExp) => async () => {
    const [target] = (await metrics.ask('targets')).data.activeTargets
    return target.health === 'down' && text.test(target.lastError)
  }
  await until('it is down', health(/long|large|more|MiB|bytes/i), 20_000)
  body = short
  await until('it is down for its samples', health(/more than 100000 samples/), 20_000)
  const { data } = await metrics.ask('query', { query: 'count(x)' })
  expect(data.result).toEqual([])
})

test('a service that turns out to have no metrics is scraped at control, until it has some', {
  timeout: 60_000,
}, async () => {
  const { metrics, service } = await embedded({ files: {} })
  const { answers } = service as ServiceUnderTest
  const scrapedAt = (path: string) => async () => {
    const [target] = (await metrics.ask('targets')).data.activeTargets
    return target.health === 'up' && target.scrapeUrl.endsWith(path)
  }
  await until('its own page is scraped', scrapedAt(`:${service.port}/metrics`), 20_000)
  answers['/metrics'] = (_request, response) => void response.writeHead(404).end()
  await until('it is scraped at control', scrapedAt(':8300/services/hello/metrics'), 20_000)
  delete answers['/metrics']
  await until('its own page is scraped again', scrapedAt(`:${service.port}/metrics`), 20_000)
})
