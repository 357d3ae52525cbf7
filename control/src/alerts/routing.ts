/** Which channels hear of a problem: by group, project and severity. */
import type { ChannelRoutes, Severity } from '@quarterdeck/contract'
import type { Labels } from './labels.ts'

export interface Routed {
  readonly severity: Severity
  readonly service: string | null
  /** Of the project, if it is one; else what the alerts say. */
  readonly group: string | null
  readonly labels: Labels
}

export function hears({ name, routes }: { name: string; routes: ChannelRoutes }, problem: Routed): boolean {
  const { groups, projects, severities } = routes
  // A channel cannot tell that it is broken.
  if (problem.labels.alertname === 'ChannelFailing') return problem.labels.channel !== name
  return (
    allows(severities, problem.severity) && allows(projects, problem.service) && allows(groups, problem.group)
  )
}

const allows = (list: readonly string[], value: string | null) =>
  list.length === 0 || (value !== null && list.includes(value))
