/** The values of a real Prometheus are the standard: the same samples, the same expressions, the same moments. */
import { Prometheus, until } from '@quarterdeck/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { labelsOf } from './labels.ts'
import { needsOf } from './needs.ts'
import { evaluate } from './promql/evaluate.ts'
import { parseExpression } from './promql/parse.ts'
import { EvaluationFailed, ExpressionRefused } from './promql/refused.ts'
import { randomExpression } from './promql/under-test.ts'
import { lookbackMs, type Sample, SeriesStore } from './series.ts'
import { dyingPage, type ScriptedTarget, startTarget, steadyPage } from './under-test.ts'

const missing = Prometheus.missing()
const turns = 14

const expressions = [
  'up',
  'up == 0',
  'up == 1',
  'up{job="steady"}',
  'up{job!="steady"}',
  'up{job=~"ste.*|dyi"}',
  'up{job=~"stead"}',
  'up{job!~"d.*"}',
  '{__name__=~"requests_total|limit_requests",method="GET"}',
  '{job="steady",room!=""}',
  'temperature{nothing=""}',
  'temperature{room="Ä \\"x\\" \\\\ \\n"}',
  "temperature{room=~'(?i)A|B'}",
  'temperature > 1',
  'temperature != temperature',
  'temperature >= bool 2',
  '5 > temperature',
  '5 > bool temperature',
  'temperature + 1',
  '2 * temperature - 0.5',
  'temperature / 0',
  'temperature % 3',
  '-7 % temperature',
  'temperature ^ 2',
  '1 ^ temperature',
  '-1 ^ temperature{room="a"}',
  '-temperature',
  '-1 ^ 2 + 3 * 4 - 2 ^ 3 ^ 2',
  '0x1F + 010 + 1e3 + .5 + Inf',
  'NaN',
  '1 > bool 2',
  'time() - 5',
  'vector(time())',
  'scalar(limit_requests{method="GET",job="steady"})',
  'scalar(limit_requests)',
  'timestamp(up)',
  'timestamp(up + 1)',
  'abs(temperature)',
  'ceil(temperature) + floor(temperature)',
  'round(temperature, 0.3)',
  'round(temperature)',
  'clamp(temperature, -1, 4)',
  'clamp(temperature, 4, -1)',
  'clamp_min(temperature, 2) - clamp_max(temperature, 2)',
  'sqrt(temperature) + exp(temperature{room="a"})',
  'ln(temperature)',
  'log2(temperature)',
  'log10(temperature)',
  'sgn(temperature)',
  'rate(requests_total[5s])',
  'rate(requests_total[4s] offset 3s)',
  'rate(requests_total[1m])',
  'rate(requests_total[5m])',
  'rate(flapping[20s])',
  'increase(requests_total[7s])',
  'increase(requests_total{code="500"}[30s])',
  'increase(requests_total[2s]) > 5',
  'delta(temperature[6s])',
  'irate(requests_total[10s])',
  'idelta(temperature[10s])',
  'deriv(free_bytes[20s])',
  'predict_linear(free_bytes[20s], 3600) < 0',
  'predict_linear(free_bytes[10s] offset 2s, 60)',
  'changes(temperature[20s])',
  'resets(requests_total[20s])',
  'avg_over_time(temperature[9s])',
  'avg_over_time(huge[9s])',
  'min_over_time(temperature[9s])',
  'max_over_time(temperature[9s])',
  'sum_over_time(temperature[9s])',
  'count_over_time(temperature[9s])',
  'count_over_time(flapping[20s])',
  'last_over_time(ended[20s])',
  'present_over_time(flapping[20s])',
  'stddev_over_time(requests_total[9s])',
  'stdvar_over_time(temperature{room="a"}[9s])',
  'quantile_over_time(0.3, temperature[9s])',
  'quantile_over_time(2, requests_total[9s])',
  'flapping',
  'flapping offset 2s',
  'ended',
  'ended or late',
  'absent(nothing{a="b",c=~"d",e="f"})',
  'absent(nothing{a="b",a="b"})',
  'absent(up)',
  'absent(sum(nothing))',
  'absent(flapping{part="y",job="steady"})',
  'absent_over_time(nothing{a="b"}[5m])',
  'absent_over_time(ended{job="steady"}[4s])',
  'sum(up)',
  'sum(requests_total) by (method)',
  'sum without (instance, code) (requests_total)',
  'avg by (job) (temperature)',
  'avg(huge)',
  'min(temperature)',
  'max by (room) (temperature)',
  'count by (job, room) (temperature)',
  'count(temperature > 1) by (nothing)',
  'group by (job) (temperature)',
  'SUM BY (__name__) ({job="steady"})',
  'sum by (job) (rate(requests_total{code=~"5.."}[10s])) / sum by (job) (rate(requests_total[10s]))',
  'requests_total / ignoring(code) limit_requests',
  'requests_total / ignoring(code) group_left limit_requests',
  'requests_total{code="200"} / ignoring(code) limit_requests > 1',
  'requests_total{code="200"} > ignoring(code) limit_requests',
  'requests_total{code="200"} > bool ignoring(code) limit_requests',
  'limit_requests < on(method, instance) group_right requests_total',
  'limit_requests - on(method, instance) group_right(nothing) requests_total',
  'up * on(instance) group_right build_info',
  'up * on(instance) group_left(sha, version) build_info',
  'limit_requests + on(method) limit_requests',
  'up + up',
  'up and on(job) temperature > 1',
  'up unless on(job) flapping',
  'temperature or up',
  'up or on(job) temperature',
  'temperature and temperature < 3 or temperature > 1e10',
  'temperature unless temperature == temperature',
  '(up == 1) * 2 + 1',
  'rate({__name__=~"requests_total|limit_requests",method="GET",code!="500"}[10s])',
  '-{__name__=~"up|limit_requests"}',
  '-{__name__=~"up|scrape_samples_scraped"}',
  'scrape_samples_scraped',
]

let prometheus: Prometheus
let targets: ScriptedTarget[] = []
let store: SeriesStore
let scraped: Scraped[]
let moments: number[]

beforeAll(async () => {
  if (missing) return
  targets = await Promise.all([startTarget(steadyPage), startTarget(dyingPage)])
  const jobs = targets.map(
    ({ address }, i) =>
      `  - {job_name: ${['steady', 'dying'][i]}, static_configs: [{targets: ["${address}"]}]}\n`,
  )
  prometheus = await Prometheus.start({
    'prometheus.yml': `global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n${jobs.join('')}`,
  })
  await until('enough scrapes', () => targets.every(target => target.turns() > turns), 60_000)
  // From here on nothing is added, and no series is ended: it only answers.
  await prometheus.restart({ 'prometheus.yml': '' })
  scraped = await scrapedSeries()
  store = new SeriesStore(needsOf(expressions.map(parseExpression)))
  feed(store, scraped)
  moments = momentsOf(scraped)
})

afterAll(async () => {
  for (const target of targets) target.close()
  await prometheus?.remove()
})

beforeEach(context => {
  if (missing) context.skip(missing)
})

test.each(expressions)('%s', async expression => {
  for (const atMs of moments) await compare(expression, store, atMs)
})

test('hundreds of others, put together by chance', async () => {
  const everything = new SeriesStore(needsOf([parseExpression('{job!=""}[10m]')]))
  feed(everything, scraped)
  for (const expression of fc.sample(randomExpression, { numRuns: 500, seed: 8 })) {
    for (const atMs of moments.slice(3, 6)) await compare(expression, everything, atMs)
  }
})

async function compare(expression: string, samples: SeriesStore, atMs: number): Promise<void> {
  const [theirs, ours] = [await asked(expression, atMs), evaluated(expression, samples, atMs)]
  if (isSame(theirs, ours)) return
  expect.fail(`${expression} at ${atMs} is ${show(ours)}, and with Prometheus ${show(theirs)}`)
}

interface Scraped {
  labels: Record<string, string>
  points: [atMs: number, value: number][]
}

async function scrapedSeries(): Promise<Scraped[]> {
  const { result } = await prometheus.api('query', { query: '{job!=""}[10m]' })
  return result.map(({ metric, values }: { metric: Record<string, string>; values: [number, string][] }) => ({
    labels: metric,
    points: values.map(([at, value]) => [Math.round(at * 1000), numberOf(value)]),
  }))
}

/** Scrape by scrape, at the times of `up`, which every one has: what a scrape lacks has then ended, there and here. */
function feed(into: SeriesStore, scraped: Scraped[]): void {
  for (const { labels: of, points } of scraped.filter(({ labels }) => labels.__name__ === 'up')) {
    const isReport = (name: string) => name === 'up' || name.startsWith('scrape_')
    const own = scraped.filter(({ labels }) => labels.instance === of.instance)
    for (const [atMs] of points) {
      const samples = (report: boolean): Sample[] =>
        own
          .filter(({ labels }) => isReport(labels.__name__!) === report)
          .flatMap(({ labels, points: all }) =>
            all.filter(([at]) => at === atMs).map(([, value]) => ({ labels: labelsOf(labels), value })),
          )
      into.append(of.instance!, atMs, samples(false))
      into.append(`${of.instance} report`, atMs, samples(true))
    }
  }
}

/** Between scrapes, exactly on one, and where the newest samples are just, and just no longer, looked back to. */
function momentsOf(scraped: Scraped[]): number[] {
  const times = scraped.find(({ labels }) => labels.__name__ === 'up')!.points.map(([at]) => at)
  const [first, last] = [times[0]!, times.at(-1)!]
  return [
    first - 1,
    first,
    first + 2500,
    times[6]!,
    times[9]! + 333,
    last,
    last + lookbackMs,
    last + lookbackMs + 1,
  ]
}

type Values = Map<string, number> | 'failed'

async function asked(query: string, atMs: number): Promise<Values> {
  try {
    const { resultType, result } = await prometheus.api('query', { query, time: (atMs / 1000).toFixed(3) })
    if (resultType === 'scalar') return new Map([['scalar', numberOf(result[1])]])
    return new Map(
      result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => [
        labelsOf(metric).key,
        numberOf(value[1]),
      ]),
    )
  } catch {
    return 'failed'
  }
}

function evaluated(expression: string, samples: SeriesStore, atMs: number): Values {
  try {
    const value = evaluate(parseExpression(expression), { store: samples, atMs })
    if (typeof value === 'number') return new Map([['scalar', value]])
    return new Map(value.map(element => [element.labels.key, element.value]))
  } catch (error) {
    if (error instanceof EvaluationFailed || error instanceof ExpressionRefused) return 'failed'
    throw error
  }
}

function isSame(theirs: Values, ours: Values): boolean {
  if (theirs === 'failed' || ours === 'failed') return theirs === ours
  if (theirs.size !== ours.size) return false
  return [...theirs].every(([key, value]) => ours.has(key) && isNear(value, ours.get(key)!))
}

const isNear = (a: number, b: number): boolean =>
  Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

const numberOf = (text: string): number => Number(text.replace('Inf', 'Infinity'))

const show = (values: Values): string =>
  values === 'failed' ? values : JSON.stringify([...values].map(([key, value]) => [key, String(value)]))
