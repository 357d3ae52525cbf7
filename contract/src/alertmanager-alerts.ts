/** POST /api/v2/alerts as Alertmanager takes it, so that a Prometheus can send its alerts here. */
import { z } from 'zod'
import { document } from './document.ts'
import { labelSet, offsetTime } from './wire.ts'

export const postedAlert = z.object({
  labels: labelSet
    .refine(labels => Object.keys(labels).length > 0, 'at least one label')
    .describe('what the alert is known by'),
  annotations: labelSet.optional(),
  startsAt: offsetTime.optional().describe('by default the time of arrival'),
  endsAt: offsetTime.optional().describe('in the past: resolved; passing without a word: the source is lost'),
  generatorURL: z.string().optional(),
})
export type PostedAlert = z.infer<typeof postedAlert>

export const alertmanagerAlerts = z.array(postedAlert)
export type AlertmanagerAlerts = z.infer<typeof alertmanagerAlerts>

export const alertmanagerAlertsDocument = document('alertmanager-alerts', alertmanagerAlerts, [
  {
    labels: {
      alertname: 'ServiceDown',
      instance: 'web-1.example.com:8101',
      job: 'hello',
      severity: 'critical',
    },
    annotations: { summary: 'hello is down' },
    startsAt: '2026-03-02T09:15:00.482Z',
    endsAt: '2026-03-02T09:19:00.482Z',
    generatorURL: 'https://prometheus.example.com/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  },
])
