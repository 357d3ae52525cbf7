/** Reads two expressions with an operator between them, and how their elements find each other. */
import type { SyntaxNode } from '@lezer/common'
import { childrenOf, type Reading } from './reading.ts'
import { onlyPrometheus } from './refused.ts'
import type { Arithmetic, Binary, Comparison, Expression, Matching, SetOperator } from './tree.ts'

const arithmetic: ReadonlySet<string> = new Set<Arithmetic>(['+', '-', '*', '/', '%', '^'])
const comparisons: ReadonlySet<string> = new Set<Comparison>(['==', '!=', '>', '<', '>=', '<='])
const setOperators: ReadonlySet<string> = new Set<SetOperator>(['and', 'or', 'unless'])

export const isArithmetic = (operator: Binary['operator']): operator is Arithmetic => arithmetic.has(operator)
export const isComparison = (operator: Binary['operator']): operator is Comparison =>
  comparisons.has(operator)
export const isSetOperator = (operator: Binary['operator']): operator is SetOperator =>
  setOperators.has(operator)

const labelsOfOne: Matching = { by: 'ignoring', labels: [], many: null, include: [] }

/** `left` and `right` have been read. */
export function readBinary(reading: Reading, node: SyntaxNode, left: Expression, right: Expression): Binary {
  const operator = readOperator(reading, node)
  const bool = node.getChild('BoolModifier') !== null
  const clause = node.getChild('MatchingModifierClause')
  const fill = node.getChild('FillModifier')
  if (fill) reading.refuse(fill, onlyPrometheus('fill'))
  const bothVectors = left.type === 'vector' && right.type === 'vector'
  for (const side of [left, right]) {
    if (side.type === 'range') {
      reading.refuse({ from: side.at }, `${operator} does not take a range; use a function such as rate()`)
    }
  }
  if (bool && !isComparison(operator)) reading.refuse(node, 'bool can only follow a comparison')
  if (isComparison(operator) && !bool && left.type === 'scalar' && right.type === 'scalar') {
    reading.refuse(node, `a comparison of two numbers needs bool: ${operator} bool`)
  }
  if (isSetOperator(operator) && !bothVectors)
    reading.refuse(node, `${operator} needs a vector on both sides`)
  if (clause && !bothVectors) reading.refuse(clause, 'on and ignoring need a vector on both sides')
  const matching = clause ? readMatching(reading, clause) : labelsOfOne
  if (matching.many && isSetOperator(operator)) {
    reading.refuse(clause!, `group_left and group_right do not go with ${operator}`)
  }
  const type = left.type === 'scalar' && right.type === 'scalar' ? 'scalar' : 'vector'
  return { kind: 'binary', type, at: node.from, operator, left, right, bool, matching }
}

function readOperator(reading: Reading, node: SyntaxNode): Binary['operator'] {
  const found = childrenOf(node)[1]!
  const text = reading.textOf(found).toLowerCase()
  if (arithmetic.has(text) || comparisons.has(text) || setOperators.has(text))
    return text as Binary['operator']
  return reading.refuse(found, onlyPrometheus(`the operator ${text}`))
}

function readMatching(reading: Reading, clause: SyntaxNode): Matching {
  const [labels, included] = clause.getChildren('GroupingLabels').map(list => readLabelNames(reading, list))
  const by = clause.getChild('On') ? 'on' : 'ignoring'
  const many = clause.getChild('GroupLeft') ? 'left' : clause.getChild('GroupRight') ? 'right' : null
  const include = included ?? []
  const twice = by === 'on' ? include.find(name => labels!.includes(name)) : undefined
  if (twice !== undefined) reading.refuse(clause, `${twice} is named both in on and in group_${many}`)
  return { by, labels: labels!, many, include }
}

export function readLabelNames(reading: Reading, list: SyntaxNode): string[] {
  return childrenOf(list).map(node => {
    if (node.name === 'QuotedLabelName') reading.refuse(node, onlyPrometheus('a label name in quotes'))
    return reading.textOf(node)
  })
}
