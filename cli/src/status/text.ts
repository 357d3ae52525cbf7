/** The status document in words, by group. */
import type { Service, ServiceStatus, Status } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { plain } from '../plain.ts'
import { shortSha } from '../run/ending.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'

/** Told apart by shape as well as by colour. */
const marks: Record<ServiceStatus, string> = {
  operational: '●',
  degraded: '◐',
  partial_outage: '◑',
  outage: '✕',
  maintenance: '■',
  unknown: '○',
}

const words = (status: ServiceStatus) => status.replace('_', ' ')

export function statusText({ status, observer, groups, services }: Status): string {
  const { bold, yellow } = colours(process.stdout)
  const lines = [`${painted(worst(services))(bold(plain(status.description)))}\n`]
  if (!observer.ok) lines.push(yellow('The watcher is not well itself: what follows may be out of date.\n'))
  const rows = groups.flatMap(({ id, name }) =>
    services
      .filter(({ group }) => group === id)
      .map((service, index) => [index === 0 ? name : '', ...row(service)]),
  )
  if (rows.length > 0) lines.push(`\n${table(columns(), rows)}`)
  const reasons = services.flatMap(reasonOf)
  if (reasons.length > 0) lines.push(`\n${reasons.join('')}`)
  return lines.join('')
}

/** What is another way now, a line each. */
export function changesBetween(before: Status, after: Status): string {
  const known = new Map(before.services.map(({ id, status }) => [id, status]))
  return after.services
    .filter(({ id, status }) => known.get(id) !== status)
    .map(service => {
      const since = service.since ?? after.generated_at
      const why = service.reason ? `: ${plain(service.reason.message)}` : ''
      return `${moment(since, false)}  ${service.id}  ${words(service.status)}${why}\n`
    })
    .join('')
}

function columns(): Column[] {
  const { dim } = colours(process.stdout)
  return [
    { title: 'GROUP', flexible: true, paint: dim },
    // Names are there to be copied: one that was cut leads nowhere.
    { title: 'SERVICE' },
    { title: 'STATUS', paint: (padded, text) => painted(statusIn(text))(padded) },
    { title: 'SINCE' },
    { title: 'COMMIT', spare: true },
    { title: 'P95', spare: true },
    { title: 'UPTIME 30 d' },
    { title: 'OBSERVED' },
  ]
}

const row = (service: Service): string[] => {
  const { id, status, since, version, latency_ms, uptime, coverage } = service
  return [
    id,
    `${marks[status]} ${words(status)}`,
    since === null ? '–' : moment(since),
    version ? shortSha(version.sha) : '–',
    latency_ms.p95 === null ? '–' : `${latency_ms.p95} ms`,
    uptime['30d'] === null ? '–' : percent(uptime['30d']),
    percent(coverage['30d'] ?? 0),
  ]
}

function reasonOf({ id, status, reason, instances }: Service): string[] {
  if (!reason) return []
  const { up, total } = instances
  const some = total > 1 ? ` (${up} of ${total} instances up)` : ''
  return [`${painted(status)(marks[status])} ${id}: ${plain(reason.message)}${some}\n`]
}

const statusIn = (text: string) =>
  (Object.keys(marks) as ServiceStatus[]).find(status => text.endsWith(words(status))) ?? 'unknown'

/** Never rounded up to more than it was. */
const percent = (ratio: number): string => {
  const cut = Math.floor(ratio * 10_000) / 100
  if (cut === 0 && ratio > 0) return '< 0.01 %'
  return `${cut === 100 ? '100' : cut.toFixed(2)} %`
}

const severity: ServiceStatus[] = [
  'outage',
  'partial_outage',
  'degraded',
  'maintenance',
  'unknown',
  'operational',
]

const worst = (services: readonly Service[]): ServiceStatus =>
  severity.find(each => services.some(({ status }) => status === each)) ?? 'unknown'

function painted(status: ServiceStatus): (text: string) => string {
  const { green, yellow, red, cyan, dim } = colours(process.stdout)
  const paints = {
    operational: green,
    degraded: yellow,
    partial_outage: red,
    outage: red,
    maintenance: cyan,
    unknown: dim,
  }
  return paints[status]
}
