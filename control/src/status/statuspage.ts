/** The status as Atlassian Statuspage tells it, for programs that read that. */
import type {
  Incident,
  Maintenance,
  Service,
  ServiceStatus,
  StatuspageComponent,
  StatuspageComponentStatus,
  StatuspageIncident,
  StatuspageMaintenance,
  StatuspageStatus,
  StatuspageSummary,
} from '@quarterdeck/contract'
import type { StatusHead } from './status-json.ts'

const componentStatus: Record<ServiceStatus, StatuspageComponentStatus> = {
  operational: 'operational',
  degraded: 'degraded_performance',
  partial_outage: 'partial_outage',
  outage: 'major_outage',
  maintenance: 'under_maintenance',
  unknown: 'degraded_performance',
}
const order: readonly StatuspageComponentStatus[] = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
]

export function statuspageStatus(
  { page, generated_at, status }: StatusHead,
  timeZone: string,
): StatuspageStatus {
  const { indicator, description } = status
  return {
    page: {
      ...{ id: page.environment, name: page.name, url: page.url },
      ...{ time_zone: timeZone, updated_at: generated_at },
    },
    status: { indicator: indicator === 'unknown' ? 'minor' : indicator, description },
  }
}

export function statuspageSummary(
  head: StatusHead,
  services: readonly Service[],
  timeZone: string,
): StatuspageSummary {
  const pageId = head.page.environment
  const at = head.generated_at
  const components = services.map((service, index) => componentOf(service, index, pageId, at))
  const groups = head.groups.map(({ id, name, order: position }): StatuspageComponent => {
    const own = components.filter(({ group_id }) => group_id === id)
    const worst = Math.max(...own.map(({ status }) => order.indexOf(status)))
    return {
      ...{ id, name, status: order[worst]!, created_at: at, updated_at: at, position, description: null },
      ...{ showcase: false, start_date: null, group_id: null, page_id: pageId, group: true },
      ...{ only_show_if_degraded: false, components: own.map(component => component.id) },
    }
  })
  const byId = new Map(components.map(component => [component.id, component]))
  const common = (notice: Incident | Maintenance) => commonOf(notice, head, byId)
  return {
    ...statuspageStatus(head, timeZone),
    components: [...groups, ...components],
    incidents: head.incidents.map((incident): StatuspageIncident => {
      const { updates, started_at, ends_at, impact } = incident
      const monitoring = updates.find(({ status }) => status === 'monitoring')
      return {
        ...common(incident),
        ...{ status: incident.status, impact, started_at, resolved_at: ends_at },
        monitoring_at: monitoring?.created_at ?? null,
        incident_updates: updates.map(update => updateOf(incident.id, update)),
      }
    }),
    scheduled_maintenances: head.maintenances.map((maintenance): StatuspageMaintenance => {
      const { updates, starts_at, ends_at, impact, status } = maintenance
      return {
        ...common(maintenance),
        ...{ status, impact, started_at: starts_at, monitoring_at: null, resolved_at: null },
        ...{ scheduled_for: starts_at, scheduled_until: ends_at },
        incident_updates: updates.map(update => updateOf(maintenance.id, update)),
      }
    }),
  }
}

const componentOf = (
  { id, name, status, since, description, group }: Service,
  index: number,
  pageId: string,
  at: string,
): StatuspageComponent => ({
  ...{ id, name, status: componentStatus[status], created_at: since ?? at, updated_at: since ?? at },
  ...{ position: index + 1, description, showcase: true, start_date: null, group_id: group },
  ...{ page_id: pageId, group: false, only_show_if_degraded: false },
})

function commonOf(
  { id, name, updates, service_ids, ...notice }: Incident | Maintenance,
  { page }: StatusHead,
  components: ReadonlyMap<string, StatuspageComponent>,
) {
  const begun = 'started_at' in notice ? notice.started_at : notice.starts_at
  const first = updates.at(-1)?.created_at ?? begun
  return {
    ...{ id, name, page_id: page.environment, shortlink: `${page.url}/incidents/${id}` },
    ...{ created_at: first, updated_at: updates[0]?.created_at ?? first },
    components: service_ids.flatMap(service => components.get(service) ?? []),
  }
}

const updateOf = <S extends string>(
  incident: string,
  { id, status, body, created_at }: { id: string; status: S; body: string; created_at: string },
) => ({
  ...{ id, incident_id: incident, status, body, affected_components: null },
  ...{ created_at, updated_at: created_at, display_at: created_at },
})
