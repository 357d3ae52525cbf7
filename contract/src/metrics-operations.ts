/** The operations of the metrics host: those of Prometheus, at its paths and in its shapes. */
import { z } from 'zod'
import { operation } from './operation.ts'
import { prometheusAlertsDocument } from './prometheus-alerts.ts'
import { prometheusQueryDocument } from './prometheus-query.ts'
import { prometheusRulesDocument } from './prometheus-rules.ts'
import { prometheusTargetsDocument } from './prometheus-targets.ts'

const ok = { status: 200 } as const

export const metricsOperations = {
  reloadMetrics: operation({
    method: 'POST',
    path: '/-/reload',
    summary: 'Reload the scrape and rule configuration',
    answer: ok,
  }),
  reloadMetricsByPut: operation({
    method: 'PUT',
    path: '/-/reload',
    summary: 'The same, as Prometheus takes it too',
    answer: ok,
  }),
  readMetricsHealth: operation({
    method: 'GET',
    path: '/-/healthy',
    summary: 'Whether the metrics server works',
    answer: ok,
  }),
  readMetricsReadiness: operation({
    method: 'GET',
    path: '/-/ready',
    summary: 'Whether the metrics engine answers',
    answer: ok,
  }),
  listTargets: operation({
    method: 'GET',
    path: '/api/v1/targets',
    summary: 'The scrape targets; ?state=active for those in use',
    answer: { status: 200, document: prometheusTargetsDocument },
  }),
  listRules: operation({
    method: 'GET',
    path: '/api/v1/rules',
    summary: 'The loaded rules; ?type=alert or record',
    answer: { status: 200, document: prometheusRulesDocument },
  }),
  listEngineAlerts: operation({
    method: 'GET',
    path: '/api/v1/alerts',
    summary: 'The alerts that are pending or firing',
    answer: { status: 200, document: prometheusAlertsDocument },
  }),
  query: operation({
    method: 'GET',
    path: '/api/v1/query',
    summary: 'The value of an expression at one moment: ?query= and ?time=',
    answer: { status: 200, document: prometheusQueryDocument },
  }),
  queryByForm: operation({
    method: 'POST',
    path: '/api/v1/query',
    summary: 'The same, for expressions that are too long for an address',
    answer: { status: 200, document: prometheusQueryDocument },
  }),
  readServiceMetrics: operation({
    method: 'GET',
    path: '/services/{id}/metrics',
    summary: 'What is seen of a service, for scrapes: 200 while it is up, else 503',
    params: z.object({ id: z.string() }),
    answer: ok,
  }),
} as const
