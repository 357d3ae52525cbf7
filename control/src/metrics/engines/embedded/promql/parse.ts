/**
 * From text to a tree, by Prometheus' own grammar. Whatever is not in the tree's list is refused here, when a file is loaded,
 * by name and place, and not when it is evaluated.
 */
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { numberOf } from './literal.ts'
import { readBinary, readLabelNames } from './read-binary.ts'
import { readCall } from './read-call.ts'
import { readOffset, readRange, readVectorSelector } from './read-selector.ts'
import { childrenOf, Reading } from './reading.ts'
import { ExpressionRefused, onlyPrometheus } from './refused.ts'
import type { Aggregate, Aggregation, Expression } from './tree.ts'

const longestText = 10_000
const deepestNesting = 100

const aggregations: ReadonlySet<string> = new Set<Aggregation>(['sum', 'avg', 'min', 'max', 'count', 'group'])

const otherEngine: Readonly<Record<string, string>> = {
  SubqueryExpr: 'a subquery',
  StepInvariantExpr: '@',
  AnchoredExpr: 'anchored',
  SmoothedExpr: 'smoothed',
}

/** Throws `ExpressionRefused`. */
export function parseExpression(text: string): Expression {
  if (text.length > longestText) {
    throw new ExpressionRefused(text, 0, `an expression has at most ${longestText} characters`)
  }
  const reading = new Reading(text)
  const { topNode } = parser.parse(text)
  refuseErrors(reading, topNode)
  const expression = childrenOf(topNode)[0]
  return expression ? read(reading, expression, 0) : reading.refuse(topNode, 'the expression is empty')
}

function read(reading: Reading, node: SyntaxNode, depth: number): Expression {
  if (depth > deepestNesting) reading.refuse(node, `nested deeper than ${deepestNesting} levels`)
  const inner = (child: SyntaxNode) => read(reading, child, depth + 1)
  const children = childrenOf(node)
  switch (node.name) {
    case 'ParenExpr':
      return inner(children[0]!)
    case 'NumberDurationLiteral':
      return { kind: 'number', type: 'scalar', at: node.from, value: numberOf(reading.textOf(node)) }
    case 'VectorSelector':
      return readVectorSelector(reading, node)
    case 'MatrixSelector':
      return readRange(reading, node, bare(reading, children[0]!, inner))
    case 'OffsetExpr':
      return readOffset(reading, node, bare(reading, children[0]!, inner))
    case 'UnaryExpr':
      return readSign(reading, node, inner(children[1]!))
    case 'BinaryExpr':
      return readBinaryOrPower(reading, node, inner)
    case 'AggregateExpr':
      return readAggregate(reading, node, inner)
    case 'FunctionCall':
      return readCall(reading, node, inner)
    case 'StringLiteral':
      return reading.refuse(node, 'a string has no place here')
    default:
      return reading.refuse(node, onlyPrometheus(otherEngine[node.name] ?? node.name))
  }
}

/** `(up)[5m]` is none: parentheses are gone from the tree, so they are looked at here. */
function bare(reading: Reading, node: SyntaxNode, inner: (node: SyntaxNode) => Expression): Expression {
  if (node.name === 'ParenExpr') {
    reading.refuse(node, 'a range or an offset belongs directly after a selector, inside the parentheses')
  }
  return inner(node)
}

function readSign(reading: Reading, node: SyntaxNode, of: Expression): Expression {
  if (of.type === 'range') reading.refuse(node, 'a range cannot be negated; use a function such as rate()')
  if (reading.textOf(node).startsWith('+')) return of
  return { kind: 'negation', type: of.type, at: node.from, of }
}

/** The grammar takes the sign of -1^2 for part of the number; in Prometheus it is that of the power. */
function readBinaryOrPower(
  reading: Reading,
  node: SyntaxNode,
  inner: (node: SyntaxNode) => Expression,
): Expression {
  const [leftNode] = childrenOf(node)
  const left = inner(leftNode!)
  const right = inner(node.lastChild!)
  const isPower = node.getChild('Pow') !== null && leftNode!.name === 'NumberDurationLiteral'
  if (!isPower || !reading.textOf(leftNode!).startsWith('-') || left.kind !== 'number') {
    return readBinary(reading, node, left, right)
  }
  const power = readBinary(reading, node, { ...left, value: -left.value }, right)
  return { kind: 'negation', type: power.type, at: node.from, of: power }
}

function readAggregate(
  reading: Reading,
  node: SyntaxNode,
  inner: (node: SyntaxNode) => Expression,
): Aggregate {
  const named = node.getChild('AggregateOp')!
  const operator = reading.textOf(named).toLowerCase()
  if (!aggregations.has(operator)) reading.refuse(named, onlyPrometheus(`${operator}()`))
  const parameters = childrenOf(node.getChild('FunctionCallBody')!)
  if (parameters.length !== 1) reading.refuse(node, `${operator}() takes one vector`)
  const of = inner(parameters[0]!)
  if (of.type !== 'vector') reading.refuse(parameters[0]!, `${operator}() takes a vector, not a ${of.type}`)
  const modifier = node.getChild('AggregateModifier')
  return {
    kind: 'aggregate',
    type: 'vector',
    at: node.from,
    operator: operator as Aggregation,
    grouping: modifier?.getChild('Without') ? 'without' : 'by',
    labels: modifier ? readLabelNames(reading, modifier.getChild('GroupingLabels')!) : [],
    of,
  }
}

function refuseErrors(reading: Reading, top: SyntaxNode): void {
  top.cursor().iterate(node => {
    if (!node.type.isError) return
    const before = reading.text.slice(0, node.from).match(/([a-zA-Z_]\w*)\s*$/)?.[1]
    const rest = reading.text.slice(node.from).trim()
    if (before && rest.startsWith('(')) reading.refuse(node, onlyPrometheus(`the function ${before}()`))
    reading.refuse(
      node,
      rest === '' ? 'the expression ends too early' : `not expected here: ${rest.slice(0, 20)}`,
    )
  })
}
