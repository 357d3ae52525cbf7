/** Alerts as the API shows them: from rules, from a Prometheus or an Alertmanager, from events. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, labelSet, line, page, time } from './wire.ts'

/** Worst first. What an alert calls its severity otherwise is taken for a warning. */
export const severities = ['critical', 'warning', 'info'] as const
export const severity = z.enum(severities)
export type Severity = z.infer<typeof severity>

export const alertState = z
  .enum(['firing', 'source_lost', 'resolved'])
  .describe('source_lost: who reported it has fallen silent, so nobody knows whether it is over')
export type AlertState = z.infer<typeof alertState>

export const alert = z.object({
  id,
  fingerprint: z.string().describe('a hash of the labels: the same for every alert with these labels'),
  problem_id: id.describe('alerts of one problem share one message'),
  state: alertState,
  severity,
  labels: labelSet,
  annotations: labelSet,
  source: z.string().describe('who reports it'),
  starts_at: time,
  lease_until: time.nullable().describe('unless it is reported again by then, its source is lost'),
  ended_at: time.nullable(),
  acknowledged: z.object({ at: time, by: z.string() }).nullable().describe('it lasts until the alert ends'),
  silenced_by: z.array(id).describe('the silences that keep it quiet now'),
  generator_url: z.string().nullable(),
})
export type Alert = z.infer<typeof alert>

export const alertAcknowledge = z.object({
  comment: line.trim().max(500).optional(),
})
export type AlertAcknowledge = z.infer<typeof alertAcknowledge>

export const alertDocument = document('alert', alert, {
  id: '019cadd4-11c0-7a52-8f31-0c9d2e4b6a78',
  fingerprint: '5ac81b6e0f92d374',
  problem_id: '019cadd4-11c0-7b10-9a44-7d1e3f5a2c69',
  state: 'firing',
  severity: 'critical',
  labels: { alertname: 'ServiceDown', instance: 'web-1:8101', job: 'hello', severity: 'critical' },
  annotations: { summary: 'hello is down' },
  source: 'alertmanager-api',
  starts_at: '2026-03-02T09:15:00.482Z',
  lease_until: '2026-03-02T09:19:00.482Z',
  ended_at: null,
  acknowledged: { at: '2026-03-02T09:16:10Z', by: 'telegram:ana' },
  silenced_by: [],
  generator_url: 'https://prometheus.example.com/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
})

export const alertPageDocument = document('alert-page', page(alert), {
  items: [alertDocument.example],
  next_cursor: null,
})

export const alertAcknowledgeDocument = document('alert-acknowledge', alertAcknowledge, {
  comment: 'looking into it',
})
