/** Alertmanager's webhook, version 4: taken in from an Alertmanager, sent out by the generic channel. */
import { z } from 'zod'
import { document } from './document.ts'
import { labelSet, offsetTime } from './wire.ts'

const alertStatus = z.enum(['firing', 'resolved'])

export const webhookAlert = z.object({
  status: alertStatus,
  labels: labelSet,
  annotations: labelSet,
  startsAt: offsetTime,
  endsAt: offsetTime.describe('year 1 while it is firing'),
  generatorURL: z.string(),
  fingerprint: z.string().optional().describe('a hash of the labels'),
})
export type WebhookAlert = z.infer<typeof webhookAlert>

export const alertmanagerWebhook = z.object({
  version: z.literal('4'),
  groupKey: z.string().describe('the same for every message about one group'),
  truncatedAlerts: z.int().min(0).default(0).describe('how many alerts were left out'),
  status: alertStatus.describe('firing while any of its alerts is'),
  receiver: z.string(),
  groupLabels: labelSet,
  commonLabels: labelSet,
  commonAnnotations: labelSet,
  externalURL: z.string(),
  alerts: z.array(webhookAlert),
})
export type AlertmanagerWebhook = z.infer<typeof alertmanagerWebhook>

const labels = {
  alertname: 'ServiceDown',
  instance: 'web-1.example.com:8101',
  job: 'hello',
  severity: 'critical',
}
const annotations = { summary: 'hello is down' }

export const alertmanagerWebhookDocument = document('alertmanager-webhook', alertmanagerWebhook, {
  version: '4',
  groupKey: '{}:{alertname="ServiceDown", job="hello"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'on-call',
  groupLabels: { alertname: 'ServiceDown', job: 'hello' },
  commonLabels: labels,
  commonAnnotations: annotations,
  externalURL: 'https://admin.example.com',
  alerts: [
    {
      status: 'firing',
      labels,
      annotations,
      startsAt: '2026-03-02T09:15:00.482Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'https://metrics.example.com/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
      fingerprint: '5ac81b6e0f92d374',
    },
  ],
})
