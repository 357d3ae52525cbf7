/** Prometheus with blackbox_exporter, set up to do the four checks of a look, under measurement. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, scratch } from '../deploy/place.ts'
import { cpuSeconds, type Measurable, startProgram } from '../process.ts'

export interface PeerCost {
  readonly cpuSeconds: number
  /** The part of Prometheus alone, which includes the bare scrape of /metrics. */
  readonly prometheusSeconds: number
  readonly seconds: number
  /** Full looks: four checks each. */
  readonly looks: number
}

const modules = `modules:
  ok:
    prober: http
    http: {fail_if_body_not_matches_regexp: ['^\\s*{"ok":\\s*true']}
  version:
    prober: http
    http: {fail_if_body_not_matches_regexp: ['"sha":']}
`

const config = (targets: readonly string[], blackbox: number, intervalMs: number) =>
  `global: {scrape_interval: ${intervalMs}ms, scrape_timeout: ${intervalMs}ms}
scrape_configs:
  - job_name: metrics
    static_configs: [{targets: ${JSON.stringify(targets)}}]
${[
  ['/healthz', 'ok'],
  ['/readyz', 'ok'],
  ['/version', 'version'],
]
  .map(
    ([path, module]) => `  - job_name: '${path}'
    metrics_path: /probe
    params: {module: [${module}]}
    static_configs: [{targets: ${JSON.stringify(targets.map(target => `http://${target}${path}`))}}]
    relabel_configs:
      - {source_labels: [__address__], target_label: __param_target}
      - {source_labels: [__param_target], target_label: instance}
      - {target_label: __address__, replacement: '127.0.0.1:${blackbox}'}
`,
  )
  .join('')}`

export async function measurePrometheus(
  targets: readonly string[],
  { intervalMs, warmUpMs, measureMs }: { intervalMs: number; warmUpMs: number; measureMs: number },
): Promise<PeerCost> {
  for (const program of ['prometheus', 'prometheus-blackbox-exporter']) {
    const { error } = spawnSync(program, ['--version'])
    if (error)
      throw new Error(`${program} does not start. To get it: apt-get install ${program}.`, { cause: error })
  }
  const { directory, remove } = scratch()
  const [blackboxPort, port] = [await freePort(), await freePort()]
  writeFileSync(join(directory, 'blackbox.yml'), modules)
  writeFileSync(join(directory, 'prometheus.yml'), config(targets, blackboxPort, intervalMs))
  const blackbox = await startProgram(
    'prometheus-blackbox-exporter',
    [`--config.file=${join(directory, 'blackbox.yml')}`, `--web.listen-address=127.0.0.1:${blackboxPort}`],
    /Listening on|address=127\.0\.0\.1:(\d+)/,
  )
  const prometheus = await startProgram(
    'prometheus',
    [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    /ready to receive web requests/,
  )
  try {
    await wait(warmUpMs)
    const cost = await costOf(prometheus, blackbox, measureMs)
    const all = 4 * targets.length
    const up = await succeeded(port)
    if (up < 0.95 * all)
      throw new Error(`${up} of ${all} checks succeed with Prometheus: is the machine busy?`)
    return { ...cost, looks: (targets.length * cost.seconds * 1000) / intervalMs }
  } finally {
    await Promise.all([prometheus.stop(), blackbox.stop()])
    remove()
  }
}

async function costOf(prometheus: Measurable, blackbox: Measurable, measureMs: number) {
  const used = () => [prometheus, blackbox].map(({ pid }) => cpuSeconds(pid))
  const [before, since] = [used(), performance.now()]
  await wait(measureMs)
  const [own, probes] = used().map((seconds, index) => seconds - before[index]!) as [number, number]
  return { cpuSeconds: own + probes, prometheusSeconds: own, seconds: (performance.now() - since) / 1000 }
}

/** How many checks are well, as Prometheus says: who measures a failure measures nothing. */
async function succeeded(port: number): Promise<number> {
  const ask = async (query: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`)
    const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } }
    return Number(data.result[0]?.value[1] ?? 0)
  }
  return (await ask('count(up{job="metrics"} == 1)')) + (await ask('count(probe_success == 1)'))
}
