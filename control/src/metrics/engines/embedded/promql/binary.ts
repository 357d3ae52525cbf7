/** Two vectors with an operator between them: which elements meet, and what comes of them. */
import { type Labels, metricName, valuesKey } from '../labels.ts'
import { calculate, compare } from './arithmetic.ts'
import { isArithmetic, isComparison } from './read-binary.ts'
import { EvaluationFailed } from './refused.ts'
import type { Binary, Matching, SetOperator } from './tree.ts'
import { checked, type Element, shown, type Vector } from './vector.ts'

/** Of two numbers; undefined where a comparison does not hold. A comparison keeps the left one. */
export function ofNumbers(
  { operator, bool }: Pick<Binary, 'operator' | 'bool'>,
  left: number,
  right: number,
): number | undefined {
  if (isArithmetic(operator)) return calculate[operator](left, right)
  if (!isComparison(operator)) throw new EvaluationFailed(`${operator} has no meaning between numbers`)
  const holds = compare[operator](left, right)
  if (bool) return holds ? 1 : 0
  return holds ? left : undefined
}

export function setOperation(
  operator: SetOperator,
  left: Vector,
  right: Vector,
  { by, labels }: Matching,
): Vector {
  const groupOf = grouping(by, labels)
  const groups = (side: Vector) => new Set(side.map(element => groupOf(element.labels)))
  if (operator === 'or') {
    const taken = groups(left)
    return [...left, ...right.filter(element => !taken.has(groupOf(element.labels)))]
  }
  const there = groups(right)
  return left.filter(element => there.has(groupOf(element.labels)) === (operator === 'and'))
}

/** Arithmetic and comparisons: one to one, or many to one where group_left or group_right says so. */
export function matched(node: Binary, left: Vector, right: Vector): Vector {
  // As in Prometheus: where nothing can match, two of one side that would match the same are no mistake.
  if (left.length === 0 || right.length === 0) return []
  const { matching } = node
  const isSwapped = matching.many === 'right'
  const [many, one] = isSwapped ? [right, left] : [left, right]
  const groupOf = grouping(matching.by, matching.labels)
  const partners = oneOfEach(one, groupOf, isSwapped ? 'left' : 'right')
  const met = new Set<string>()
  const result: Vector = []
  for (const element of many) {
    const group = groupOf(element.labels)
    const partner = partners.get(group)
    if (!partner) continue
    const value = isSwapped
      ? ofNumbers(node, partner.value, element.value)
      : ofNumbers(node, element.value, partner.value)
    if (value === undefined) continue
    if (matching.many === null) {
      if (met.has(group)) throw severalMeet(element.labels)
      met.add(group)
    }
    result.push({ labels: resultLabels(node, element.labels, partner.labels), value })
  }
  return matching.many === null ? result : checked(result)
}

export const dropsName = ({ operator, bool }: Pick<Binary, 'operator' | 'bool'>): boolean =>
  bool || isArithmetic(operator)

function oneOfEach(
  side: Vector,
  groupOf: (labels: Labels) => string,
  name: 'left' | 'right',
): Map<string, Element> {
  const found = new Map<string, Element>()
  for (const element of side) {
    const group = groupOf(element.labels)
    const other = found.get(group)
    if (other) {
      throw new EvaluationFailed(
        `${shown(other.labels)} and ${shown(element.labels)} on the ${name} side both match. The labels to match by have to tell the elements of one side apart`,
      )
    }
    found.set(group, element)
  }
  return found
}

const severalMeet = (labels: Labels) =>
  new EvaluationFailed(
    `several elements, among them ${shown(labels)}, match one of the other side. If that is meant, write group_left or group_right`,
  )

function resultLabels(node: Binary, many: Labels, one: Labels): Labels {
  const { by, labels, many: manySide, include } = node.matching
  let result = dropsName(node) ? many.withoutName() : many
  if (manySide === null && by === 'on') result = result.only(labels)
  else if (manySide === null && labels.length > 0) result = result.without(labels)
  if (include.length === 0) return result
  return result.with(Object.fromEntries(include.map(name => [name, one.get(name)])))
}

function grouping(by: Matching['by'], labels: readonly string[]): (of: Labels) => string {
  if (by === 'on') return of => valuesKey(of, labels)
  if (labels.length === 0) return of => of.withoutName().key
  const ignored = [...labels, metricName]
  return of => of.without(ignored).key
}
