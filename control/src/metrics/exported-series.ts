/** What the watch sees, as series of the metrics host: for rules and charts of either engine (`shipped-rules.ts` lists them). */
import type { StatsFs } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Kit } from '@quarterdeck/kit'
import { Gauge } from 'prom-client'
import type { InstanceState, Watch } from '#watch'

export interface ExportedSeries {
  readonly watch: Pick<Watch, 'services'>
  /** Whose disk is told. */
  readonly home: string
  readonly machine: string
}

type Value = (instance: InstanceState) => number | null

const perInstance: readonly { name: string; help: string; value: Value }[] = [
  {
    name: 'service_live',
    help: 'Whether /healthz, or the address, answered well.',
    value: ({ look }) => flag(look?.live.ok),
  },
  {
    name: 'service_ready',
    help: 'Whether /readyz answered well.',
    value: ({ look }) => flag(look?.ready?.ok),
  },
  { name: 'service_drift', help: 'Whether another commit runs than was deployed.', value: drift },
  {
    name: 'service_certificate_ends_seconds',
    help: 'When the certificate of its address ends, in seconds since 1970.',
    value: ({ certificateEnds }) => {
      const ms = certificateEnds?.getTime() ?? Number.NaN
      return Number.isNaN(ms) ? null : ms / 1000
    },
  },
]

export function exportSeries(kit: Kit, { watch, home, machine }: ExportedSeries): void {
  const registers = [kit.metrics.registry]
  const instances = () =>
    [...watch.services].flatMap(({ service, instances }) =>
      [...instances.values()].map(state => ({
        state,
        labels: { service: service.id, machine: state.instance.machine ?? '' },
      })),
    )
  for (const { name, help, value } of perInstance) {
    new Gauge({
      ...{ name, help, registers, labelNames: ['service', 'machine'] },
      collect() {
        this.reset()
        for (const { state, labels } of instances()) {
          const told = value(state)
          if (told !== null) this.set(labels, told)
        }
      },
    })
  }
  new Gauge({
    ...{ name: 'service_info', help: 'The commit that runs, as it says itself.', registers },
    labelNames: ['service', 'machine', 'sha'],
    collect() {
      this.reset()
      for (const { state, labels } of instances())
        if (state.version) this.set({ ...labels, sha: state.version.sha }, 1)
    },
  })
  exportDisk(kit, home, machine)
}

function exportDisk(kit: Kit, home: string, machine: string): void {
  const disk = (name: string, help: string, blocksOf: (stats: StatsFs) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['machine', 'mount'], registers: [kit.metrics.registry] },
      async collect() {
        const stats = await statfs(home)
        this.set({ machine, mount: await mountOf(home) }, blocksOf(stats) * stats.bsize)
      },
    })
  disk('machine_disk_size_bytes', 'Of the disk that holds the home.', ({ blocks }) => blocks)
  disk('machine_disk_free_bytes', 'What is free of it for users.', ({ bavail }) => bavail)
}

/** Where the file system begins that a path lies on. */
async function mountOf(path: string): Promise<string> {
  const parent = dirname(path)
  if (parent === path || (await stat(parent)).dev !== (await stat(path)).dev) return path
  return mountOf(parent)
}

/** Null where nobody knows. */
const flag = (ok: boolean | undefined): number | null => (ok === undefined ? null : Number(ok))

function drift({ instance, version }: InstanceState): number | null {
  if (instance.kind !== 'api' || instance.expected.sha === null || !version) return null
  return Number(version.sha !== instance.expected.sha)
}
