/** The value of an expression at one moment. */
import { Labels, labelsOf, metricName } from '../labels.ts'
import type { Window } from '../samples.ts'
import { lookbackMs, type SeriesStore } from '../series.ts'
import { aggregated } from './aggregate.ts'
import { dropsName, matched, ofNumbers, setOperation } from './binary.ts'
import { rangeFunctions } from './range-functions.ts'
import { isComparison, isSetOperator } from './read-binary.ts'
import { EvaluationFailed } from './refused.ts'
import type { Binary, Call, Expression, Selector } from './tree.ts'
import { valueFunctions } from './value-functions.ts'
import { type Vector, withDifferentLabels } from './vector.ts'

/** How much one evaluation may read, so that no rule holds up the others: as Prometheus' own query.max-samples, smaller. */
const mostSamples = 2_000_000

export interface Moment {
  readonly store: Pick<SeriesStore, 'select'>
  readonly atMs: number
  /** Samples that one evaluation may read. */
  readonly mostSamples?: number
}

/** A number or a vector; throws `EvaluationFailed`. */
export function evaluate(expression: Expression, moment: Moment): number | Vector {
  const evaluation = new Evaluation(moment)
  return expression.type === 'scalar' ? evaluation.scalar(expression) : evaluation.vector(expression)
}

class Evaluation {
  readonly #store: Moment['store']
  readonly #atMs: number
  readonly #most: number
  #read = 0
  readonly #window: Window = { times: new Float64Array(), values: new Float64Array(), from: 0, to: 0 }

  constructor(moment: Moment) {
    this.#store = moment.store
    this.#atMs = moment.atMs
    this.#most = moment.mostSamples ?? mostSamples
  }

  scalar(node: Expression): number {
    switch (node.kind) {
      case 'number':
        return node.value
      case 'negation':
        return -this.scalar(node.of)
      case 'binary':
        return ofNumbers(node, this.scalar(node.left), this.scalar(node.right))!
      case 'call':
        return node.name === 'time' ? this.#atMs / 1000 : this.#onlyValue(node.parameters[0]!)
      default:
        throw new EvaluationFailed(`${node.kind} is no number`)
    }
  }

  vector(node: Expression): Vector {
    switch (node.kind) {
      case 'selector':
        return this.#select(node)
      case 'negation':
        return this.#each(node.of, value => -value)
      case 'binary':
        return this.#binary(node)
      case 'aggregate':
        return aggregated(node, this.vector(node.of))
      case 'call':
        return this.#call(node)
      default:
        throw new EvaluationFailed(`${node.kind} is no vector`)
    }
  }

  #select(selector: Selector): Vector {
    if (selector.type === 'range') throw new EvaluationFailed('a range by itself has no value')
    const atMs = this.#atMs - selector.offsetMs
    const found = this.#store.select(selector)
    this.#count(found.length)
    const vector: Vector = []
    for (const { labels, samples } of found) {
      const value = samples.valueAt(atMs, lookbackMs)
      if (value !== undefined) vector.push({ labels, value })
    }
    return vector
  }

  #binary(node: Binary): Vector {
    const { operator, left, right } = node
    if (left.type === 'scalar') return this.#withNumber(node, right, this.scalar(left), true)
    if (right.type === 'scalar') return this.#withNumber(node, left, this.scalar(right), false)
    const [one, other] = [this.vector(left), this.vector(right)]
    return isSetOperator(operator)
      ? setOperation(operator, one, other, node.matching)
      : matched(node, one, other)
  }

  /** A comparison keeps the value of the vector, whichever side it is on. */
  #withNumber(node: Binary, side: Expression, number: number, isLeft: boolean): Vector {
    const elements = this.vector(side)
    const keepsValue = isComparison(node.operator) && !node.bool
    const drops = dropsName(node)
    const vector: Vector = []
    for (const { labels, value } of elements) {
      const result = isLeft ? ofNumbers(node, number, value) : ofNumbers(node, value, number)
      if (result === undefined) continue
      vector.push({ labels: drops ? labels.withoutName() : labels, value: keepsValue ? value : result })
    }
    return drops ? withDifferentLabels(vector, elements) : vector
  }

  #call(node: Call): Vector {
    const { name, parameters } = node
    const onRange = rangeFunctions.get(name)
    if (onRange) return this.#overRange(node)
    const onValue = valueFunctions.get(name)
    if (onValue) {
      const [first, second] = parameters.slice(1).map(parameter => this.scalar(parameter))
      if (name === 'clamp' && first! > second!) return []
      return this.#each(parameters[0]!, value => onValue.compute(value, first!, second!))
    }
    switch (name) {
      case 'vector':
        return [{ labels: Labels.none, value: this.scalar(parameters[0]!) }]
      case 'timestamp':
        return this.#timestamps(parameters[0]!)
      case 'absent':
        return this.vector(parameters[0]!).length > 0 ? [] : [{ labels: sought(parameters[0]!), value: 1 }]
      case 'absent_over_time':
        return this.#isAnything(parameters[0] as Selector)
          ? []
          : [{ labels: sought(parameters[0]!), value: 1 }]
      default:
        throw new EvaluationFailed(`${name}() is not known`)
    }
  }

  #overRange({ name, parameters }: Call): Vector {
    const { compute, parameter: place, keepsName } = rangeFunctions.get(name)!
    const [range, number] = place === 'first' ? [parameters[1], parameters[0]] : parameters
    const selector = range as Selector
    const parameter = number ? this.scalar(number) : Number.NaN
    const toMs = this.#atMs - selector.offsetMs
    const span = { fromMs: toMs - selector.rangeMs, toMs, atMs: this.#atMs }
    const found = this.#store.select(selector)
    const vector: Vector = []
    for (const { labels, samples } of found) {
      const window = samples.window(span.fromMs, toMs, this.#window)
      this.#count(window.to - window.from)
      const value = window.to > window.from ? compute(window, span, parameter) : undefined
      if (value !== undefined) vector.push({ labels: keepsName ? labels : labels.withoutName(), value })
    }
    return keepsName ? vector : withDifferentLabels(vector, found)
  }

  #isAnything(selector: Selector): boolean {
    const toMs = this.#atMs - selector.offsetMs
    return this.#store.select(selector).some(({ samples }) => {
      const { from, to } = samples.window(toMs - selector.rangeMs, toMs, this.#window)
      return to > from
    })
  }

  /** When the sample was taken; of what is calculated, now. */
  #timestamps(of: Expression): Vector {
    if (of.kind !== 'selector') return this.#each(of, () => this.#atMs / 1000)
    const atMs = this.#atMs - of.offsetMs
    const found = this.#store.select(of)
    this.#count(found.length)
    const vector = found
      .filter(({ samples }) => samples.valueAt(atMs, lookbackMs) !== undefined)
      .map(({ labels, samples }) => ({
        labels: labels.withoutName(),
        value: samples.timeAt(atMs, lookbackMs) / 1000,
      }))
    return withDifferentLabels(vector, found)
  }

  #each(of: Expression, compute: (value: number) => number): Vector {
    const before = this.vector(of)
    const vector = before.map(({ labels, value }) => ({
      labels: labels.withoutName(),
      value: compute(value),
    }))
    return withDifferentLabels(vector, before)
  }

  #onlyValue(of: Expression): number {
    const vector = this.vector(of)
    return vector.length === 1 ? vector[0]!.value : Number.NaN
  }

  #count(samples: number): void {
    this.#read += samples
    if (this.#read > this.#most) {
      throw new EvaluationFailed(
        `it reads more than ${this.#most} samples. Name fewer series, or a shorter range`,
      )
    }
  }
}

/** The labels that would be there: those that the selector asks to be equal to something. */
function sought(of: Expression): Labels {
  if (of.kind !== 'selector') return Labels.none
  const equal = new Map<string, string>()
  const seen = new Set<string>()
  for (const { label, operator, value } of of.matchers) {
    if (label === metricName) continue
    if (operator === '=' && !seen.has(label)) equal.set(label, value)
    else equal.delete(label)
    if (operator === '=') seen.add(label)
  }
  return labelsOf(Object.fromEntries(equal))
}
