/** A service as status.json shows it. */
import type { Check, Service } from '@quarterdeck/contract'
import type { Checked, History, InstanceState, ServiceState } from '#watch'
import { isOk } from '#watch'

export interface Shown {
  readonly history: Pick<History, 'uptime' | 'latency'>
  /** Of the status host. */
  readonly url: string
  /** Seconds since 1970. */
  readonly now: number
}

export function serviceEntry(state: ServiceState, { history, url, now }: Shown): Service {
  const { service, status, since, rolledUp } = state
  const { id, name, group, description, dependsOn, site, runbook } = service
  const shown = worst([...state.instances.values()])
  const look = shown?.look ?? null
  const at = look && isoOf(look.at)
  const { uptime, coverage } = history.uptime(id, now)
  return {
    id,
    name,
    group,
    description,
    status,
    ok: isOk(status),
    since: since === null ? null : isoOf(since),
    last_checked_at: at,
    reason: rolledUp.reason && { ...rolledUp.reason },
    checks: {
      live: checkOf(look?.live, at),
      ready: checkOf(look?.ready, at),
      metrics: checkOf(look?.metrics, at),
    },
    version: shown?.version
      ? {
          ...{ name: shown.version.name, sha: shown.version.sha },
          ...{ observed_at: isoOf(shown.version.at), deployed_at: service.deployedAt },
        }
      : null,
    instances: { total: rolledUp.total, up: rolledUp.up },
    latency_ms: rounded(history.latency(id, now)),
    uptime: cut(uptime),
    coverage: cut(coverage),
    depends_on: [...dependsOn],
    suppressed_by: null,
    links: {
      site,
      history: `${url}/services/${id}.json`,
      badge: `${url}/badge/${id}.svg`,
      runbook,
    },
  }
}

/** The one that says most about how the service is. */
const order = ['down', 'degraded', 'up', 'unknown']
const worst = (instances: readonly InstanceState[]): InstanceState | undefined =>
  instances.toSorted((a, b) => order.indexOf(a.condition.state) - order.indexOf(b.condition.state))[0]

function checkOf(checked: Checked | null | undefined, at: string | null): Check | null {
  if (!checked || at === null) return null
  const { ok, latencyMs, httpStatus } = checked
  return { ok, at, latency_ms: latencyMs === null ? null : tenth(latencyMs), http_status: httpStatus }
}

const rounded = ({ p50, p95, p99 }: ReturnType<History['latency']>) => ({
  p50: p50 === null ? null : tenth(p50),
  p95: p95 === null ? null : tenth(p95),
  p99: p99 === null ? null : tenth(p99),
})

/** To a millionth, which is half a minute in a year, and never up: what was not whole does not look so. */
const cut = (figures: Service['uptime']): Service['uptime'] =>
  Object.fromEntries(
    Object.entries(figures).map(([window, ratio]) => [
      window,
      ratio === null ? null : Math.floor(ratio * 1e6 + 1e-9) / 1e6,
    ]),
  ) as Service['uptime']

const tenth = (ms: number) => Math.round(ms * 10) / 10

/** Whole seconds need no fractions. */
export const isoOf = (second: number): string => new Date(second * 1000).toISOString().replace('.000Z', 'Z')
