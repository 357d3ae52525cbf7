/** GET /api/v1/alerts of the metrics server: the alerts that are pending or firing now. */
import { z } from 'zod'
import { document } from './document.ts'
import { prometheusSuccess } from './prometheus-api.ts'
import { labelSet, offsetTime } from './wire.ts'

export const prometheusAlert = z.object({
  labels: labelSet,
  annotations: labelSet,
  state: z.enum(['pending', 'firing']),
  activeAt: offsetTime.optional().describe('since when the expression has held'),
  keepFiringSince: offsetTime.optional().describe('since when only keep_firing_for has kept it firing'),
  value: z.string().describe('the value of the expression, such as 0e+00'),
})
export type PrometheusAlert = z.infer<typeof prometheusAlert>

export const prometheusAlerts = prometheusSuccess(z.object({ alerts: z.array(prometheusAlert) }))
export type PrometheusAlerts = z.infer<typeof prometheusAlerts>

export const prometheusAlertsDocument = document('prometheus-alerts', prometheusAlerts, {
  status: 'success',
  data: {
    alerts: [
      {
        labels: {
          alertname: 'ServiceDown',
          instance: 'web-1.example.com:8101',
          job: 'hello',
          severity: 'critical',
        },
        annotations: { summary: 'hello is down' },
        state: 'firing',
        activeAt: '2026-03-02T09:13:00.482119347Z',
        value: '0e+00',
      },
    ],
  },
})
