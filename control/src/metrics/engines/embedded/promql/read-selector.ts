/** Reads `name{label="value"}[5m] offset 1m`: which series, and from when. */
import type { SyntaxNode } from '@lezer/common'
import { metricName } from '../labels.ts'
import { type Matcher, type MatchOperator, matcherOf } from '../matcher.ts'
import { durationMs, stringOf } from './literal.ts'
import { childrenOf, type Reading } from './reading.ts'
import { onlyPrometheus } from './refused.ts'
import type { Selector } from './tree.ts'

const longestPattern = 1000
/** Ten years: what is longer would overflow a time. */
const longestMs = 10 * 365 * 86_400_000

export function readVectorSelector(reading: Reading, node: SyntaxNode): Selector {
  const name = node.getChild('Identifier')
  const conditions = node.getChild('LabelMatchers')
  const matchers = childrenOf(conditions ?? node)
    .filter(child => child.name !== 'Identifier' && child.name !== 'LabelMatchers')
    .map(child => readMatcher(reading, child))
  if (name) {
    if (matchers.some(({ label }) => label === metricName)) {
      reading.refuse(node, `the metric's name is given twice: before the braces and as ${metricName}`)
    }
    matchers.unshift(matcherOf(metricName, '=', reading.textOf(name)))
  }
  if (matchers.every(({ matches }) => matches(''))) {
    reading.refuse(node, 'a selector needs at least one condition that an empty label does not meet')
  }
  const key = JSON.stringify(matchers.map(({ label, operator, value }) => [label, operator, value]))
  return { kind: 'selector', type: 'vector', at: node.from, key, matchers, rangeMs: 0, offsetMs: 0 }
}

/** `of` is what stands before the brackets. */
export function readRange(reading: Reading, node: SyntaxNode, of: { kind: string }): Selector {
  const selector = onlySelector(reading, node, of, 'a range')
  if (selector.rangeMs > 0 || selector.offsetMs !== 0) {
    reading.refuse(node, 'a range stands directly after a selector, and before its offset')
  }
  const rangeMs = readDuration(reading, node.getChild('DurationExpr')!)
  if (rangeMs <= 0) reading.refuse(node, 'a range has to be longer than 0')
  return { ...selector, type: 'range', at: node.from, rangeMs }
}

export function readOffset(reading: Reading, node: SyntaxNode, of: { kind: string }): Selector {
  const selector = onlySelector(reading, node, of, 'offset')
  if (selector.offsetMs !== 0) reading.refuse(node, 'the offset is given twice')
  return { ...selector, offsetMs: readDuration(reading, node.getChild('OffsetDurationExpr')!) }
}

function readMatcher(reading: Reading, node: SyntaxNode): Matcher {
  const [label, operator, value] = childrenOf(node)
  if (node.name === 'QuotedLabelName') {
    return matcherOf(metricName, '=', readString(reading, label!))
  }
  const name = label!.name === 'QuotedLabelName' ? readString(reading, label!.firstChild!) : undefined
  const text = readString(reading, value!)
  if (text.length > longestPattern)
    reading.refuse(value!, `a condition has at most ${longestPattern} characters`)
  try {
    return matcherOf(name ?? reading.textOf(label!), reading.textOf(operator!) as MatchOperator, text)
  } catch (error) {
    return reading.refuse(value!, `not a pattern of RE2: ${(error as Error).message}`)
  }
}

function readString(reading: Reading, node: SyntaxNode): string {
  return (
    stringOf(reading.textOf(node)) ??
    reading.refuse(node, 'a string that is not closed, or has an unknown escape')
  )
}

function readDuration(reading: Reading, node: SyntaxNode): number {
  const [first, second] = childrenOf(node)
  if (first?.name === 'UnaryOp' && second) {
    return (reading.textOf(first) === '-' ? -1 : 1) * readDuration(reading, second)
  }
  if (first?.name !== 'NumberDurationLiteralInDurationContext' || second) {
    reading.refuse(node, onlyPrometheus('a calculation in place of a duration'))
  }
  const ms = Math.round(durationMs(reading.textOf(first)))
  if (!(ms <= longestMs)) reading.refuse(node, 'a duration of at most ten years is expected')
  return ms
}

function onlySelector(reading: Reading, node: SyntaxNode, of: { kind: string }, what: string): Selector {
  if (of.kind !== 'selector')
    reading.refuse(node, `${what} can only follow a selector such as up{job="hello"}`)
  return of as Selector
}
