/** What one evaluation of 100 rules over 2,000 targets costs in processor time, of what a real Prometheus spends on it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { RuleFile } from '@quarterdeck/contract'
import { systemClock } from '@quarterdeck/kit'
import { Prometheus, until } from '@quarterdeck/testing'
import { type Labels, labelsOf } from '../control/src/metrics/engines/embedded/labels.ts'
import { Rules } from '../control/src/metrics/engines/embedded/rules.ts'
import { type Sample, SeriesStore } from '../control/src/metrics/engines/embedded/series.ts'
import { type Figure, median } from './figure.ts'
import { cpuSeconds } from './process.ts'

const targets = 2000
const scrapeMs = 3000
/** As many samples as five minutes have at the usual 15 seconds. */
const history = 20
const rounds = 20
const windowMs = 30_000

/** Ten kinds of rules, ten of each; most find nothing, as rules do. */
const expressions = [
  (i: number) => `up == 0 and on (job) (up{job=~"service-${i}.*"} == 0)`,
  (i: number) => `rate(http_requests_total{code="500"}[1m]) > ${i + 1}`,
  (i: number) =>
    `sum by (job) (rate(http_requests_total{code="500"}[1m])) / sum by (job) (rate(http_requests_total[1m])) > 0.${9 - i}5`,
  (i: number) => `process_resident_memory_bytes > ${i + 11}e8`,
  (i: number) => `avg_over_time(up[1m]) < 0.${i}`,
  (i: number) => `max_over_time(process_resident_memory_bytes[1m]) > ${i + 11}e8`,
  (i: number) => `sum(up) < ${100 * i}`,
  (i: number) => `increase(http_requests_total{code="200"}[1m]) < -${i}`,
  (i: number) => `absent(up{job="service-${i}"})`,
  (i: number) => `up == ${i} unless on (instance) process_resident_memory_bytes`,
]

const ruleFile: RuleFile = {
  groups: [
    {
      name: 'bench',
      interval: '3s',
      rules: expressions.flatMap((expression, kind) =>
        Array.from({ length: 10 }, (_, i) => ({
          alert: `Kind${kind}Number${i}`,
          expr: expression(i),
          for: '1m',
          annotations: { summary: '{{ $labels.job }}: {{ $value | humanize }}' },
        })),
      ),
    },
  ],
}

export const rules: Figure = {
  name: '100 rules over 2,000 targets : Prometheus',
  goal: '<= 2',
  async measure() {
    const missing = Prometheus.missing()
    if (missing) return { reached: false, value: 'none', details: missing }
    const peer = await prometheusSeconds()
    const ours = await ourSeconds()
    const ratio = ours.seconds / peer.seconds
    return {
      reached: ratio <= 2,
      value: ratio.toFixed(2),
      details: `processor time per evaluation: ${ms(ours.seconds)}; Prometheus ${ms(peer.seconds)} (${peer.evaluations} of them, without what scraping takes); ${ours.alerts} alerts, there ${peer.alerts}`,
    }
  },
}

/** Its processor time with the rules, less that of as long a time without them. */
async function prometheusSeconds(): Promise<{ seconds: number; evaluations: number; alerts: number }> {
  const turns = new Map<string, number>()
  const server = createServer((request, response) => {
    const target = Number(request.url!.slice(1))
    const turn = turns.get(request.url!) ?? 0
    turns.set(request.url!, turn + 1)
    if (isDown(target)) response.statusCode = 503
    response.setHeader('Content-Type', 'text/plain; version=0.0.4')
    response.end(
      page(target, turn)
        .map(([series, value]) => `${series} ${value}\n`)
        .join(''),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const prometheus = await Prometheus.start({
    'prometheus.yml': configuration(port, false),
    'rules.json': JSON.stringify(ruleFile),
  })
  try {
    await until(
      'there is enough history',
      () => turns.size === targets && [...turns.values()].every(turn => turn > history),
      180_000,
    )
    const without = await cpuOf(prometheus)
    await prometheus.reload({ 'prometheus.yml': configuration(port, true) })
    await until('a first evaluation', async () => (await evaluations(prometheus)) > 0, 60_000)
    const before = await evaluations(prometheus)
    const withRules = await cpuOf(prometheus)
    const count = (await evaluations(prometheus)) - before
    const { alerts } = await prometheus.api('alerts')
    return { seconds: (withRules - without) / count, evaluations: count, alerts: alerts.length }
  } finally {
    await prometheus.remove()
    server.close()
    server.closeAllConnections()
  }
}

/** All of it is counted, also what collecting garbage takes; samples come in between, as by scrapes. */
async function ourSeconds(): Promise<{ seconds: number; alerts: number }> {
  const loaded = new Rules({ 'rules.json': ruleFile }, scrapeMs)
  const store = new SeriesStore(loaded.needs)
  const labels = Array.from({ length: targets }, (_, target) => targetLabels(target))
  const seconds: number[] = []
  for (let turn = 0; turn < history + rounds; turn++) {
    const atMs = turn * scrapeMs
    for (let target = 0; target < targets; target++) scrape(store, labels[target]!, target, turn, atMs)
    const before = process.cpuUsage()
    for (const group of loaded.groups) await loaded.evaluate(group, store, atMs, systemClock)
    const { user, system } = process.cpuUsage(before)
    seconds.push((user + system) / 1e6)
  }
  const errors = loaded.groups.flatMap(group => group.rules.flatMap(({ lastError }) => lastError ?? []))
  if (errors.length > 0) throw new Error(errors.join('\n'))
  return {
    seconds: median(seconds.slice(-rounds)),
    alerts: loaded.alerts.filter(({ state }) => state !== 'resolved').length,
  }
}

async function cpuOf(prometheus: Prometheus): Promise<number> {
  const before = cpuSeconds(prometheus.pid)
  await wait(windowMs)
  return cpuSeconds(prometheus.pid) - before
}

async function evaluations(prometheus: Prometheus): Promise<number> {
  const metrics = await (await fetch(`${prometheus.url}/metrics`)).text()
  return Number(metrics.match(/^prometheus_rule_group_iterations_total\{.*\} (\S+)$/m)?.[1] ?? 0)
}

function configuration(port: number, hasRules: boolean): string {
  const static_configs = Array.from({ length: targets }, (_, target) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { __metrics_path__: `/${target}`, instance: `target-${target}`, job: jobOf(target) },
  }))
  return JSON.stringify({
    global: { scrape_interval: `${scrapeMs}ms`, scrape_timeout: `${scrapeMs}ms` },
    rule_files: hasRules ? ['rules.json'] : [],
    scrape_configs: [{ job_name: 'all', static_configs }],
  })
}

const jobOf = (target: number): string => `service-${target % 200}`
const isDown = (target: number): boolean => target % 100 === 7

/** The series that rules name, and some that none does. */
function page(target: number, turn: number): [series: string, value: number][] {
  return [
    ['http_requests_total{code="200"}', turn * (target % 50) + target],
    ['http_requests_total{code="500"}', Math.floor((turn * (target % 50)) / 20)],
    ['process_resident_memory_bytes', 1e8 + (target % 1000) * 1e6 + (turn % 7) * 1e5],
    ['process_cpu_seconds_total', turn * 0.1],
    ['process_open_fds', 20 + (turn % 3)],
  ]
}

interface TargetLabels {
  up: Labels
  series: Labels[]
}

function targetLabels(target: number): TargetLabels {
  const own = { instance: `target-${target}`, job: jobOf(target) }
  const named = (text: string) => {
    const [, name, code] = text.match(/^(\w+)(?:\{code="(\d+)"\})?$/)!
    return labelsOf({ ...own, __name__: name!, code: code ?? '' })
  }
  return { up: named('up'), series: page(target, 0).map(([series]) => named(series)) }
}

function scrape(
  store: SeriesStore,
  { up, series }: TargetLabels,
  target: number,
  turn: number,
  atMs: number,
): void {
  const samples: Sample[] = page(target, turn).map(([, value], i) => ({ labels: series[i]!, value }))
  store.append(`target-${target}`, atMs, isDown(target) ? [] : samples)
  store.append(`target-${target} report`, atMs, [{ labels: up, value: isDown(target) ? 0 : 1 }])
}

const ms = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`
