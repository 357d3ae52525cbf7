/** What the watch sees, as series of the metrics host: for rules and charts of either engine (`shipped-rules.ts` lists them). */
import type { Kit } from '@quarterdeck/kit'
import { Gauge } from 'prom-client'
import type { InstanceState, Watch } from '#watch'

export interface ExportedSeries {
  readonly watch: Pick<Watch, 'services'>
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

export function exportSeries(kit: Kit, { watch }: ExportedSeries): void {
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
}

/** Null where nobody knows. */
const flag = (ok: boolean | undefined): number | null => (ok === undefined ? null : Number(ok))

function drift({ instance, version }: InstanceState): number | null {
  if (instance.kind !== 'api' || instance.expected.sha === null || !version) return null
  return Number(version.sha !== instance.expected.sha)
}
