/** /api/v2/status.json and /api/v2/summary.json of the status host, for programs that read Atlassian Statuspage. */
import { z } from 'zod'
import { document } from './document.ts'
import { type StatuspageComponent, statuspageComponent } from './statuspage-component.ts'
import { statuspageIncident, statuspageMaintenance } from './statuspage-incident.ts'
import { time, url } from './wire.ts'

export const statuspageStatus = z.object({
  page: z.object({
    id: z.string(),
    name: z.string(),
    url,
    time_zone: z.string().describe('IANA name'),
    updated_at: time,
  }),
  status: z.object({
    indicator: z
      .enum(['none', 'minor', 'major', 'critical', 'maintenance'])
      .describe('minor as well when it is unknown, and the description says so'),
    description: z.string(),
  }),
})
export type StatuspageStatus = z.infer<typeof statuspageStatus>

export const statuspageSummary = statuspageStatus.extend({
  components: z.array(statuspageComponent),
  incidents: z.array(statuspageIncident).describe('unresolved ones'),
  scheduled_maintenances: z.array(statuspageMaintenance).describe('upcoming and in progress'),
})
export type StatuspageSummary = z.infer<typeof statuspageSummary>

export const statuspageStatusDocument = document('statuspage-status', statuspageStatus, {
  page: {
    id: 'example.com',
    name: 'Acme',
    url: 'https://status.example.com',
    time_zone: 'Etc/UTC',
    updated_at: '2026-03-02T09:20:00Z',
  },
  status: { indicator: 'minor', description: 'Hello answers slowly' },
})

const exampleComponent: StatuspageComponent = {
  id: 'hello',
  name: 'Hello',
  status: 'degraded_performance',
  created_at: '2026-02-20T10:00:00Z',
  updated_at: '2026-03-02T09:13:00Z',
  position: 1,
  description: 'Greets everybody',
  showcase: true,
  start_date: '2026-02-20',
  group_id: 'production',
  page_id: 'example.com',
  group: false,
  only_show_if_degraded: false,
}

export const statuspageSummaryDocument = document('statuspage-summary', statuspageSummary, {
  ...statuspageStatusDocument.example,
  components: [
    {
      ...exampleComponent,
      id: 'production',
      name: 'Production',
      description: null,
      group_id: null,
      group: true,
      components: ['hello'],
    },
    exampleComponent,
  ],
  incidents: [
    {
      id: '019cadd2-8160-7f0a-b2d4-8c6e1f3a5b79',
      name: 'Hello answers slowly',
      page_id: 'example.com',
      status: 'investigating',
      impact: 'minor',
      shortlink: 'https://status.example.com/incidents/019cadd2-8160-7f0a-b2d4-8c6e1f3a5b79',
      created_at: '2026-03-02T09:13:00Z',
      updated_at: '2026-03-02T09:13:00Z',
      started_at: '2026-03-02T09:13:00Z',
      monitoring_at: null,
      resolved_at: null,
      components: [exampleComponent],
      incident_updates: [
        {
          id: '019cadd2-8160-7d83-8b1f-3e5a7c9d0f24',
          incident_id: '019cadd2-8160-7f0a-b2d4-8c6e1f3a5b79',
          status: 'investigating',
          body: 'Answers take several seconds. We are looking into it.',
          created_at: '2026-03-02T09:13:00Z',
          updated_at: '2026-03-02T09:13:00Z',
          display_at: '2026-03-02T09:13:00Z',
          affected_components: [
            { code: 'hello', name: 'Hello', old_status: 'operational', new_status: 'degraded_performance' },
          ],
        },
      ],
    },
  ],
  scheduled_maintenances: [],
})
