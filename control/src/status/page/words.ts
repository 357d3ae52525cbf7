/** Everything that the status page says: another language is another file like this one. */
import type { IncidentStatus, Indicator, MaintenanceStatus, ServiceStatus } from '@quarterdeck/contract'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const longMonths = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]

const serviceStatus: Record<ServiceStatus, string> = {
  operational: 'Operational',
  degraded: 'Degraded',
  partial_outage: 'Partly down',
  outage: 'Down',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
}

const noticeStatus: Record<IncidentStatus | MaintenanceStatus, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  scheduled: 'Scheduled',
  in_progress: 'In progress',
  verifying: 'Verifying',
  completed: 'Completed',
}

const indicator: Record<Indicator, string> = {
  none: 'All well',
  minor: 'Minor trouble',
  major: 'Major trouble',
  critical: 'Critical',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
}

export const words = {
  language: 'en',
  serviceStatus,
  noticeStatus,
  indicator,
  impact: {
    none: 'no impact',
    minor: 'minor impact',
    major: 'major impact',
    critical: 'critical impact',
    maintenance: 'maintenance',
  },
  title: (name: string) => `${name} · Status`,
  feedTitle: (name: string) => `${name}: incidents and maintenances`,
  home: 'Quarterdeck',
  noServices: 'Nothing is watched yet.',
  incidents: 'Incidents',
  maintenances: 'Maintenances',
  notices: 'Incidents and maintenances',
  pastIncidents: 'Past incidents',
  history: 'History',
  front: 'All services',
  asOf: 'As of',
  live: 'Live',
  notLive: 'Not live: this page shows what was known when it was loaded.',
  since: 'since',
  until: 'until',
  deployed: 'deployed',
  seen: 'seen',
  p95: (ms: number) => `p95 ${milliseconds(ms)}`,
  noLatency: 'no latency yet',
  notKnown: 'unknown',
  uptime: (ratio: number | null, coverage: number | null) =>
    ratio === null
      ? 'not observed in 90 days'
      : `${percent(ratio)} up in 90 days, ${observedPart(coverage ?? 0, '90d', 0)} of them observed`,
  uptimeBadge: (ratio: number | null) => (ratio === null ? 'unknown' : percent(ratio)),
  percent,
  observedPart,
  milliseconds,
  days: 'Days as a table',
  daysOf: (name: string) => `The last 90 days of ${name}, newest last`,
  barsOf: (name: string) => `The last 90 days of ${name}`,
  day: 'Day',
  state: 'State',
  details: 'Details',
  allDay: 'all day',
  down: (text: string) => `down ${text}`,
  degraded: (text: string) => `degraded ${text}`,
  maintained: (text: string) => `maintenance ${text}`,
  unobserved: (text: string) => `not observed ${text}`,
  duration,
  ago90: '90 days ago',
  today: 'today',
  windows: 'Uptime',
  window: 'Period',
  up: 'Up',
  observed: 'Observed',
  windowNames: { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days', '365d': '365 days' },
  latency: 'Latency',
  latencyOf: (name: string) => `Latency of ${name} in the last 24 hours, 95th percentile`,
  noChart: 'There are no latencies to show.',
  chartAway: 'The latencies cannot be read at the moment.',
  latencyTable: 'Latencies as a table',
  hour: 'Hour',
  deployMark: 'Deploy',
  facts: 'Facts',
  group: 'Group',
  running: 'Running',
  checked: 'Last looked at',
  instances: 'Instances',
  instancesUp: (up: number, total: number) => `${up} of ${total} up`,
  dependsOn: 'Depends on',
  site: 'Site',
  runbook: 'Runbook',
  noIncidents: 'No incidents.',
  noneInMonth: 'No incidents or maintenances.',
  started: 'Began',
  concerns: 'Concerns',
  historyOf: (month: string) => `History: ${month}`,
  older: 'Older',
  newer: 'Newer',
  storeAway: 'The database cannot be reached: what people write here may be out of date.',
  observerAway: 'Nobody watches the services at the moment: what is shown may be out of date.',
  feed: 'Feed',
  json: 'JSON',
  timesIn: 'Times are in your time zone; each shows UTC when pointed at.',
  date: (iso: string) => {
    const [year, month, day] = iso.slice(0, 10).split('-')
    return `${Number(day)} ${months[Number(month) - 1]} ${year}`
  },
  month: (yearMonth: string) => `${longMonths[Number(yearMonth.slice(5)) - 1]} ${yearMonth.slice(0, 4)}`,
  moment: (iso: string) => `${words.date(iso)}, ${iso.slice(11, 16)} UTC`,
} as const

const windowDays = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

/** How much of a window was observed; little of it is said as a time, which is more than none. */
function observedPart(coverage: number, window: keyof typeof windowDays, digits = 2): string {
  if (coverage === 0 || coverage >= 0.01) return percent(coverage, digits)
  return duration(Math.round(coverage * windowDays[window] * 86_400))
}

/** Never rounded up: what was not whole does not look so. */
function percent(ratio: number, digits = 2): string {
  const factor = 10 ** digits
  return `${Math.floor(ratio * 100 * factor + 1e-9) / factor} %`
}

function milliseconds(ms: number): string {
  if (ms >= 1000) return `${Math.round(ms / 100) / 10} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${Math.round(ms * 10) / 10} ms`
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`
}
