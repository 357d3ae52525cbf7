/** A service as a scrape at control sees it: a page while it is up, none when it is down or nobody knows. */
import { isOk, type ServiceState } from '#watch'

export interface ProbePage {
  readonly status: 200 | 503
  readonly text: string
}

export function probePage(id: string, state: ServiceState | undefined): ProbePage {
  if (!state) return { status: 503, text: `There is no service ${id}.\n` }
  const { status, rolledUp } = state
  if (isOk(status) !== true) return { status: 503, text: `${id}: ${rolledUp.reason?.message ?? status}\n` }
  const { total, up } = rolledUp
  const latencies = [...state.instances.values()].flatMap(({ look }) => look?.live.latencyMs ?? [])
  const slowest = latencies.length > 0 ? [`probe_duration_seconds ${Math.max(...latencies) / 1000}`] : []
  return {
    status: 200,
    text: [
      '# TYPE probe_success gauge',
      'probe_success 1',
      '# TYPE probe_instances gauge',
      `probe_instances{state="total"} ${total}`,
      `probe_instances{state="up"} ${up}`,
      ...slowest,
      '',
    ].join('\n'),
  }
}
