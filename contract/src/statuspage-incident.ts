/** Incidents and scheduled maintenances as Atlassian Statuspage publishes them. */
import { z } from 'zod'
import { statuspageComponent } from './statuspage-component.ts'
import { time, url } from './wire.ts'

const componentChange = z.object({
  code: z.string(),
  name: z.string(),
  old_status: z.string(),
  new_status: z.string(),
})

const statuspageUpdate = <Status extends z.ZodType>(status: Status) =>
  z.object({
    id: z.string(),
    incident_id: z.string(),
    status,
    body: z.string(),
    created_at: time,
    updated_at: time,
    display_at: time,
    affected_components: z.array(componentChange).nullable(),
  })

const incidentStatuses = z.enum(['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'])
const maintenanceStatuses = z.enum(['scheduled', 'in_progress', 'verifying', 'completed'])

const common = z.object({
  id: z.string(),
  name: z.string(),
  page_id: z.string(),
  impact: z.enum(['none', 'minor', 'major', 'critical', 'maintenance']),
  shortlink: url,
  created_at: time,
  updated_at: time,
  started_at: time,
  monitoring_at: time.nullable(),
  resolved_at: time.nullable(),
  components: z.array(statuspageComponent),
})

export const statuspageIncident = common.extend({
  status: incidentStatuses,
  incident_updates: z.array(statuspageUpdate(incidentStatuses)),
})
export type StatuspageIncident = z.infer<typeof statuspageIncident>

export const statuspageMaintenance = common.extend({
  status: maintenanceStatuses,
  scheduled_for: time,
  scheduled_until: time,
  incident_updates: z.array(statuspageUpdate(maintenanceStatuses)),
})
export type StatuspageMaintenance = z.infer<typeof statuspageMaintenance>
