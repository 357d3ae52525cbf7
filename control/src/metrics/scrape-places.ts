/**
 * Where each service is scraped. A scrape knows only an address and a path: what has no metrics, or is found only by a name or with
 * a secret, is scraped at control, so that `up` means the same for all.
 */
import type { MonitoredInstance, MonitoredService } from '#watch'

export interface ScrapePlace {
  /** The service. */
  readonly job: string
  readonly group: string
  readonly scheme: 'http' | 'https'
  /** host:port */
  readonly address: string
  readonly path: string
  /** Where that differs from what is usual. */
  readonly intervalMs?: number
  readonly timeoutMs?: number
  /** The instance whose page the watch reads anyway; null: control tells what it sees of the service. */
  readonly instance: string | null
}

export interface PlaceOptions {
  /** host:port at which this machine reaches control. */
  readonly control: string
  /** Whether it was asked for metrics, and has none. */
  lacksMetrics(instance: string): boolean
}

type Api = Extract<MonitoredInstance, { kind: 'api' }>

export const pathAtControl = (service: string): string => `/services/${service}/metrics`

/** None while it runs nowhere. */
export function scrapePlaces(service: MonitoredService, options: PlaceOptions): ScrapePlace[] {
  const { id: job, group, instances } = service
  if (instances.length === 0) return []
  const atControl = {
    job,
    group,
    scheme: 'http',
    address: options.control,
    path: pathAtControl(job),
  } as const
  const apis = instances.filter(
    (instance): instance is Api => instance.kind === 'api' && !options.lacksMetrics(instance.id),
  )
  const isWhole = apis.length === instances.length && apis.every(({ paths }) => paths.metrics !== null)
  if (isWhole && service.kind === 'own' && apis.every(isHost))
    return apis.map(({ id }) => ({ ...atControl, instance: id }))
  const direct = isWhole && apis.every(isPlain) ? apis.map(api => placeOf(service, api)) : []
  // A job has one path and one scheme.
  if (
    direct.length > 0 &&
    direct.every(one => one.path === direct[0]!.path && one.scheme === direct[0]!.scheme)
  )
    return direct
  return [{ ...atControl, instance: null }]
}

export const urlOf = ({ scheme, address, path }: Pick<ScrapePlace, 'scheme' | 'address' | 'path'>): string =>
  `${scheme}://${address}${path}`

function placeOf({ id: job, group }: MonitoredService, { id, server, paths, ...api }: Api): ScrapePlace {
  const { intervalMs, timeoutMs } = api
  return {
    ...{ job, group, scheme: server.isTls ? 'https' : 'http', path: paths.metrics!, instance: id },
    address: `${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`,
    ...(intervalMs !== undefined && { intervalMs }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}

/** One of control's own: it is there under its name only. The edge answers at the bare address, too. */
const isHost = ({ id, machine, server }: Api): boolean =>
  machine === null && id !== 'edge' && server.authority !== undefined

const isPlain = ({ id, server, paths }: Api): boolean =>
  Object.keys(server.headers ?? {}).length === 0 &&
  !paths.metrics!.includes('?') &&
  (id === 'edge' || server.authority === undefined || hostIn(server.authority) === server.host)

const hostIn = (authority: string): string => authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
