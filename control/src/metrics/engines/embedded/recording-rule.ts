/** A recording rule: what its expression gives becomes a series of its own, which later rules of the group can read. */
import type { RecordingRule as Rule } from '@quarterdeck/contract'
import { metricName } from './labels.ts'
import type { Expression } from './promql/tree.ts'
import { checked, type Vector } from './promql/vector.ts'
import type { Sample } from './series.ts'

export class RecordingRule {
  readonly kind = 'recording'
  readonly rule: Rule
  readonly expression: Expression

  constructor(rule: Rule, expression: Expression) {
    const wrong = Object.keys(rule.labels ?? {}).find(
      name => !/^[a-zA-Z_]\w*$/.test(name) || name === metricName,
    )
    if (wrong !== undefined) throw new Error(`label ${wrong}: not a name`)
    this.rule = rule
    this.expression = expression
  }

  get name(): string {
    return this.rule.record
  }

  take(results: Vector): Sample[] {
    const changes = { ...this.rule.labels, [metricName]: this.rule.record }
    return checked(results.map(({ labels, value }) => ({ labels: labels.with(changes), value })))
  }
}
