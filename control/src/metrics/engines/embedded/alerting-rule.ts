/** An alerting rule: inactive → pending → firing → resolved, with the steps of Prometheus. */
import type { AlertRule } from '@quarterdeck/contract'
import { type Alert, beginAlert, movedAlert, restoredAlert, storedAlert } from './alert.ts'
import { type Labels, labelsOf, metricName } from './labels.ts'
import { durationMs } from './promql/literal.ts'
import { EvaluationFailed } from './promql/refused.ts'
import type { Expression } from './promql/tree.ts'
import { shown, type Vector } from './promql/vector.ts'
import type { StoredRule } from './rule-state.ts'
import { lookbackMs, type Sample } from './series.ts'
import { parseTemplate, type Template, type TemplateData } from './template/template.ts'

const resolvedKeptMs = 15 * 60_000

export class AlertingRule {
  readonly kind = 'alerting'
  readonly rule: AlertRule
  readonly expression: Expression
  readonly #forMs: number
  readonly #keepFiringForMs: number
  readonly #labels: [string, Template][]
  readonly #annotations: [string, Template][]
  readonly #alerts = new Map<string, Alert>()
  #evaluatedAtMs = -Infinity

  /** Throws what is refused of its templates. */
  constructor(rule: AlertRule, expression: Expression) {
    this.rule = rule
    this.expression = expression
    this.#forMs = durationMs(rule.for ?? '0')
    this.#keepFiringForMs = durationMs(rule.keep_firing_for ?? '0')
    this.#labels = templates('label', rule.labels)
    this.#annotations = templates('annotation', rule.annotations)
  }

  get name(): string {
    return this.rule.alert
  }

  /** Pending, firing, and those that were resolved not long ago. */
  get alerts(): Alert[] {
    return [...this.#alerts.values()]
  }

  /** What its expression gave, at that time; answers with the samples of ALERTS and ALERTS_FOR_STATE. */
  take(results: Vector, atMs: number): Sample[] {
    const found = this.#found(results)
    this.#evaluatedAtMs = atMs
    for (const [key, { annotations, value, labels }] of found) {
      const alert = this.#alerts.get(key)
      if (!alert || alert.state === 'resolved') {
        this.#alerts.set(key, beginAlert({ labels, annotations, value }, atMs))
      } else Object.assign(alert, { annotations, value, keepFiringSinceMs: null, heldUntilMs: -Infinity })
    }
    for (const [key, alert] of this.#alerts) this.#step(key, alert, found.has(key), atMs)
    return this.alerts.filter(alert => alert.state !== 'resolved').flatMap(samplesOf)
  }

  /** `isOwed`: of one that is resolved nobody has been told. It fires still for whoever goes on from here, and is resolved again. */
  save(group: string, isOwed: (alert: Alert) => boolean): StoredRule {
    const { alert, expr, labels = {} } = this.rule
    const alerts = this.alerts.filter(one => one.state !== 'resolved' || isOwed(one)).map(storedAlert)
    return { group, alert, expr, labels, evaluatedAtMs: this.#evaluatedAtMs, alerts }
  }

  /**
   * Goes on where a former life ended. What was pending is so still after a short gap, as a sample counts that long; after a
   * longer one nobody knows what was in between, and it begins anew.
   */
  restore(stored: StoredRule, atMs: number, heldUntilMs: number): void {
    this.#evaluatedAtMs = Math.min(stored.evaluatedAtMs, atMs)
    const isLong = atMs - stored.evaluatedAtMs > lookbackMs
    // A clock that was set back in between says nothing of how long it was.
    const movedMs = Math.min(0, atMs - stored.evaluatedAtMs)
    for (const one of stored.alerts) {
      if (isLong && one.state === 'pending') continue
      const alert = movedAlert(restoredAlert(one, heldUntilMs - movedMs), movedMs)
      this.#alerts.set(alert.labels.key, alert)
    }
  }

  /** The clock was set by so much. */
  move(ms: number): void {
    this.#evaluatedAtMs += ms
    for (const alert of this.#alerts.values()) Object.assign(alert, movedAlert(alert, ms))
  }

  #found(results: Vector): Map<string, Pick<Alert, 'labels' | 'annotations' | 'value'>> {
    const found = new Map<string, Pick<Alert, 'labels' | 'annotations' | 'value'>>()
    for (const { labels: series, value } of results) {
      const data = { labels: series.record(), value }
      const labels = series.withoutName().with({ ...filledIn(this.#labels, data), alertname: this.name })
      if (found.has(labels.key)) {
        throw new EvaluationFailed(
          `two series give the same alert ${shown(labels)}. The rule's labels must not hide what tells them apart`,
        )
      }
      found.set(labels.key, { labels, annotations: filledIn(this.#annotations, data), value })
    }
    return found
  }

  #step(key: string, alert: Alert, isFound: boolean, atMs: number): void {
    if (!isFound && !this.#outlives(alert, atMs)) {
      const isForgotten = alert.resolvedAtMs !== null && atMs - alert.resolvedAtMs > resolvedKeptMs
      if (alert.state === 'pending' || isForgotten) this.#alerts.delete(key)
      else if (alert.state === 'firing') Object.assign(alert, { state: 'resolved', resolvedAtMs: atMs })
    } else if (isFound && alert.state === 'pending' && atMs - alert.activeAtMs >= this.#forMs) {
      Object.assign(alert, { state: 'firing', firedAtMs: atMs })
    }
  }

  /** Whether an alert that no series shows is there all the same. */
  #outlives(alert: Alert, atMs: number): boolean {
    if (alert.state === 'resolved') return false
    if (atMs < alert.heldUntilMs) return true
    if (alert.state !== 'firing' || this.#keepFiringForMs === 0) return false
    alert.keepFiringSinceMs ??= atMs
    return atMs - alert.keepFiringSinceMs < this.#keepFiringForMs
  }
}

function templates(what: string, texts: Readonly<Record<string, string>> = {}): [string, Template][] {
  return Object.entries(texts).map(([name, text]) => {
    if (!/^[a-zA-Z_]\w*$/.test(name) || name === metricName) throw new Error(`${what} ${name}: not a name`)
    try {
      return [name, parseTemplate(text)]
    } catch (error) {
      throw new Error(`${what} ${name}: ${(error as Error).message}`)
    }
  })
}

/** A value that a template cannot show is told in its place, and keeps no alert from being told. */
function filledIn(all: readonly [string, Template][], data: TemplateData): Record<string, string> {
  return Object.fromEntries(
    all.map(([name, template]) => {
      try {
        return [name, template(data)]
      } catch (error) {
        return [name, `<error expanding template: ${(error as Error).message}>`]
      }
    }),
  )
}

function samplesOf({ labels, state, activeAtMs }: Alert): Sample[] {
  return [
    { labels: series(labels, { [metricName]: 'ALERTS', alertstate: state }), value: 1 },
    { labels: series(labels, { [metricName]: 'ALERTS_FOR_STATE' }), value: Math.floor(activeAtMs / 1000) },
  ]
}

const series = (labels: Labels, changes: Record<string, string>): Labels =>
  labelsOf({ ...labels.record(), ...changes })
