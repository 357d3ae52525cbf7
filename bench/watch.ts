/** What watching costs: one look against Prometheus with blackbox_exporter, and ten thousand services from one core. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from './deploy/place.ts'
import type { Figure, Measured } from './figure.ts'
import { startProgram } from './process.ts'
import { measureProber, type ProberCost } from './watch/prober.ts'
import { measurePrometheus } from './watch/prometheus.ts'

const here = join(import.meta.dirname, 'watch')
/** Longer than any interval here, or so short that each look needs a connection of its own. */
const [kept, dropped] = [60_000, 1]
const spans = { warmUpMs: 5000, measureMs: 20_000 }

const look: Figure = {
  name: 'watch: CPU of a look : Prometheus',
  goal: '<= 0.15',
  async measure() {
    const peer = await withService(kept, port =>
      measurePrometheus(
        hosts(100).map(host => `${host}:${port}`),
        { intervalMs: 2000, ...spans },
      ),
    )
    // More at a time than the peer, which costs more: a process that has nothing to do is measured for what it is not.
    const ours = await withService(kept, port => measureProber(order(hosts(250), port, 1000), spans))
    const alone = await withService(dropped, port => measureProber(order(hosts(250), port, 2500), spans))
    const ratio = perLook(ours) / perLook({ ...peer, done: peer.looks })
    return {
      reached: ratio <= 0.15 && ours.well + alone.well === ours.done + alone.done,
      value: ratio.toFixed(3),
      details: `${milliseconds(perLook(ours))} a look (${milliseconds(perLook(alone))} where the service closes the connection between two); Prometheus and blackbox ${milliseconds(peer.cpuSeconds / peer.looks)}, of which Prometheus ${milliseconds(peer.prometheusSeconds / peer.looks)}; ${ours.done} and ${Math.round(peer.looks)} looks of four requests, parsed and stored`,
    }
  },
}

const count = 10_000
const hangingCount = 1000
const intervalMs = 15_000
const longestLagMs = 250
/** A look may begin anywhere in its slot: less than that is no change. */
const slotMs = 20

/** Two probers at the same time on the same core, so that whatever else the machine does delays both alike. */
const many: Figure = {
  name: 'watch: 10,000 services on one core',
  goal: '< 400 MB, lag p99 < 250 ms, 1,000 hanging: < 10 % more',
  async measure() {
    const [well, hanging] = await Promise.all([watchMany(0), watchMany(hangingCount)])
    return {
      reached:
        isEnough(well) && isEnough(hanging) && hanging.lagMs.p99 < Math.max(1.1 * well.lagMs.p99, slotMs),
      value: `${(100 * share(well)).toFixed(0)} %`,
      details: `of the core and ${shown(well)}; with ${hangingCount} hanging ${(100 * share(hanging)).toFixed(0)} % and ${shown(hanging)}`,
    } satisfies Measured
  },
}

export const watchFigures: Figure[] = [look, many]

async function watchMany(hanging: number): Promise<ProberCost> {
  const { port, hangingPort, stop } = await startMany()
  const targets = Array.from({ length: count }, (_, index) => ({
    // 200 machines with 50 services each, and those that hang on all of them.
    host: `127.0.1.${1 + (index % 200)}`,
    port: index < hanging ? hangingPort : port,
  }))
  const spans = { warmUpMs: 2 * intervalMs, measureMs: 3 * intervalMs }
  try {
    const cost = await measureProber({ targets, intervalMs }, { ...spans, core: 0 })
    if (cost.well < 0.98 * cost.done * (1 - hanging / count))
      throw new Error(`Only ${cost.well} of ${cost.done} looks were well: is the machine busy?`)
    return cost
  } finally {
    stop()
  }
}

const isEnough = ({ lagMs, megabytes, leftOut, ours }: ProberCost): boolean =>
  lagMs.p99 < longestLagMs && megabytes < 400 && leftOut + ours === 0

const share = ({ cpuSeconds, seconds }: ProberCost): number => cpuSeconds / seconds

const perLook = ({ cpuSeconds, done }: Pick<ProberCost, 'cpuSeconds' | 'done'>): number => cpuSeconds / done

const milliseconds = (seconds: number): string => `${(1000 * seconds).toFixed(2)} ms`

const shown = ({ megabytes, lagMs, done }: ProberCost): string =>
  `${megabytes.toFixed(0)} MB, lag p50 ${lagMs.p50.toFixed(1)}, p99 ${lagMs.p99.toFixed(1)}, max ${lagMs.max.toFixed(0)} ms, ${done} looks`

/** Addresses of this machine that all lead to the same service. */
const hosts = (length: number): string[] => Array.from({ length }, (_, index) => `127.0.0.${1 + index}`)

const order = (to: readonly string[], port: number, everyMs: number) => ({
  targets: to.map(host => ({ host, port })),
  intervalMs: everyMs,
})

async function withService<R>(keepAliveMs: number, measure: (port: number) => Promise<R>): Promise<R> {
  const args = [join(here, 'service.ts'), `${keepAliveMs}`]
  const service = await startProgram(process.execPath, args, /port (\d+)/)
  try {
    return await measure(service.port)
  } finally {
    await service.stop()
  }
}

/** On the other core, so that it takes nothing from what is measured. */
async function startMany() {
  const { directory, remove } = scratch()
  const metrics = join(directory, 'metrics.txt')
  await withService(kept, async port =>
    writeFileSync(metrics, await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const child = spawn(
    'taskset',
    ['--cpu-list', '1', process.execPath, join(here, 'many-services.ts'), metrics],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(child.stdout, 'data')
  remove()
  const [, port, hangingPort] = /port (\d+) hanging (\d+)/.exec(`${line}`)!.map(Number)
  return { port: port!, hangingPort: hangingPort!, stop: () => child.kill() }
}
