/** GET /api/v1/rules of the metrics server: the loaded rules, and what their last evaluation gave. */
import { z } from 'zod'
import { document } from './document.ts'
import { prometheusAlert, prometheusAlertsDocument } from './prometheus-alerts.ts'
import { prometheusSuccess } from './prometheus-api.ts'
import { serviceDown } from './rule-file.ts'
import { labelSet, offsetTime } from './wire.ts'

const seconds = z.number().min(0)

const evaluation = z.object({
  health: z.enum(['ok', 'err', 'unknown']),
  lastError: z.string().optional(),
  evaluationTime: seconds,
  lastEvaluation: offsetTime,
})

export const prometheusAlertingRule = evaluation.extend({
  type: z.literal('alerting'),
  name: z.string(),
  query: z.string(),
  state: z.enum(['inactive', 'pending', 'firing', 'unknown']),
  duration: seconds.describe('its `for`'),
  keepFiringFor: seconds.optional(),
  labels: labelSet,
  annotations: labelSet,
  alerts: z.array(prometheusAlert),
})
export type PrometheusAlertingRule = z.infer<typeof prometheusAlertingRule>

export const prometheusRecordingRule = evaluation.extend({
  type: z.literal('recording'),
  name: z.string(),
  query: z.string(),
  labels: labelSet.optional(),
})
export type PrometheusRecordingRule = z.infer<typeof prometheusRecordingRule>

export const prometheusRuleGroup = z.object({
  name: z.string(),
  file: z.string(),
  rules: z.array(z.discriminatedUnion('type', [prometheusAlertingRule, prometheusRecordingRule])),
  interval: seconds,
  limit: z.int().min(0).optional(),
  evaluationTime: seconds,
  lastEvaluation: offsetTime,
})
export type PrometheusRuleGroup = z.infer<typeof prometheusRuleGroup>

export const prometheusRules = prometheusSuccess(z.object({ groups: z.array(prometheusRuleGroup) }))
export type PrometheusRules = z.infer<typeof prometheusRules>

export const prometheusRulesDocument = document('prometheus-rules', prometheusRules, {
  status: 'success',
  data: {
    groups: [
      {
        name: 'quarterdeck',
        file: 'rules/quarterdeck.yml',
        rules: [
          {
            type: 'alerting',
            name: serviceDown.alert,
            query: serviceDown.expr,
            state: 'firing',
            duration: 120,
            keepFiringFor: 0,
            labels: serviceDown.labels,
            annotations: serviceDown.annotations,
            alerts: prometheusAlertsDocument.example.data.alerts,
            health: 'ok',
            evaluationTime: 0.00031,
            lastEvaluation: '2026-03-02T09:19:58.10044219Z',
          },
        ],
        interval: 15,
        limit: 0,
        evaluationTime: 0.00042,
        lastEvaluation: '2026-03-02T09:19:58.100431052Z',
      },
    ],
  },
})
