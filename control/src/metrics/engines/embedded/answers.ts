/** What the embedded engine tells at Prometheus' API, in Prometheus' shapes. */
import type { PrometheusAlert, PrometheusRuleGroup, PrometheusTargets } from '@quarterdeck/contract'
import { type ApiAnswer, failed, succeeded } from '../../engine.ts'
import type { Alert } from './alert.ts'
import { durationMs } from './promql/literal.ts'
import type { LoadedGroup, LoadedRule, Rules } from './rules.ts'
import { never, type Target } from './target.ts'
import { exponential } from './template/go-number.ts'

export function targetsAnswer(targets: readonly Target[], parameters: URLSearchParams): ApiAnswer {
  const state = (parameters.get('state') ?? '').toLowerCase()
  const pool = parameters.get('scrapePool')
  const shown = ['', 'any', 'active'].includes(state) ? targets : []
  const data: PrometheusTargets['data'] = {
    activeTargets: shown.filter(({ job }) => !pool || job === pool).map(target => target.shown()),
    // Nothing is dropped without relabelling.
    droppedTargets: [],
  }
  return succeeded(data)
}

const kinds = new Map([
  ['', null],
  ['alert', 'alerting'],
  ['record', 'recording'],
] as const) as ReadonlyMap<string, 'alerting' | 'recording' | null>

export function rulesAnswer({ groups }: Rules, parameters: URLSearchParams): ApiAnswer {
  const type = (parameters.get('type') ?? '').toLowerCase()
  const kind = kinds.get(type)
  if (kind === undefined)
    return failed(400, 'bad_data', `invalid parameter "type": not supported value ${JSON.stringify(type)}`)
  return succeeded({ groups: groups.map(group => groupShown(group, kind)) })
}

export const alertsAnswer = ({ alerts }: Rules): ApiAnswer =>
  succeeded({ alerts: alerts.flatMap(alertShown) })

function groupShown(group: LoadedGroup, kind: 'alerting' | 'recording' | null): PrometheusRuleGroup {
  const { name, file, rules, intervalMs, evaluationMs, evaluatedAtMs } = group
  return {
    name,
    file,
    rules: rules.filter(({ rule }) => kind === null || rule.kind === kind).map(ruleShown),
    interval: intervalMs / 1000,
    limit: 0,
    evaluationTime: evaluationMs / 1000,
    lastEvaluation: timeOf(evaluatedAtMs),
  }
}

function ruleShown(loaded: LoadedRule): PrometheusRuleGroup['rules'][number] {
  const { rule, health, lastError, evaluationMs, evaluatedAtMs } = loaded
  const evaluation = {
    health,
    ...(lastError !== null && { lastError }),
    evaluationTime: evaluationMs / 1000,
    lastEvaluation: timeOf(evaluatedAtMs),
  }
  if (rule.kind === 'recording') {
    const { record: name, expr: query, labels } = rule.rule
    return { name, query, ...(labels && { labels }), ...evaluation, type: 'recording' }
  }
  const { alert: name, expr: query, labels = {}, annotations = {} } = rule.rule
  const alerts = rule.alerts.flatMap(alertShown)
  return {
    state: alerts.some(one => one.state === 'firing') ? 'firing' : alerts.length > 0 ? 'pending' : 'inactive',
    ...{ name, query },
    duration: durationMs(rule.rule.for ?? '0') / 1000,
    keepFiringFor: durationMs(rule.rule.keep_firing_for ?? '0') / 1000,
    ...{ labels, annotations, alerts },
    ...evaluation,
    type: 'alerting',
  }
}

function alertShown({ labels, annotations, state, value, ...alert }: Alert): PrometheusAlert[] {
  if (state === 'resolved') return []
  return [
    {
      labels: labels.record(),
      annotations: { ...annotations },
      state,
      activeAt: timeOf(alert.activeAtMs),
      ...(alert.keepFiringSinceMs !== null && { keepFiringSince: timeOf(alert.keepFiringSinceMs) }),
      value: exponential(value),
    },
  ]
}

const timeOf = (ms: number | null): string => (ms === null ? never : new Date(ms).toISOString())
