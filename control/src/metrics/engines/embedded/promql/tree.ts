/** An expression as it is evaluated: small, typed, and already known to be one that this engine can do. */
import type { Matcher } from '../matcher.ts'

export type ValueType = 'scalar' | 'vector' | 'range'

export type Arithmetic = '+' | '-' | '*' | '/' | '%' | '^'
export type Comparison = '==' | '!=' | '>' | '<' | '>=' | '<='
export type SetOperator = 'and' | 'or' | 'unless'
export type Aggregation = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'group'

interface Node<Type extends ValueType> {
  readonly type: Type
  /** Where it begins in the text. */
  readonly at: number
}

export interface NumberLiteral extends Node<'scalar'> {
  readonly kind: 'number'
  readonly value: number
}

export interface Selector extends Node<'vector' | 'range'> {
  readonly kind: 'selector'
  /** The same for the same matchers. */
  readonly key: string
  readonly matchers: readonly Matcher[]
  /** 0 for an instant vector. */
  readonly rangeMs: number
  readonly offsetMs: number
}

export interface Negation extends Node<'scalar' | 'vector'> {
  readonly kind: 'negation'
  readonly of: Expression
}

/** How the elements of two vectors find each other. */
export interface Matching {
  readonly by: 'on' | 'ignoring'
  readonly labels: readonly string[]
  /** The side that may have several elements in a group; null for one to one. */
  readonly many: 'left' | 'right' | null
  /** What the many side takes over from the other. */
  readonly include: readonly string[]
}

export interface Binary extends Node<'scalar' | 'vector'> {
  readonly kind: 'binary'
  readonly operator: Arithmetic | Comparison | SetOperator
  readonly left: Expression
  readonly right: Expression
  readonly bool: boolean
  readonly matching: Matching
}

export interface Aggregate extends Node<'vector'> {
  readonly kind: 'aggregate'
  readonly operator: Aggregation
  readonly grouping: 'by' | 'without'
  readonly labels: readonly string[]
  readonly of: Expression
}

export interface Call extends Node<'scalar' | 'vector'> {
  readonly kind: 'call'
  readonly name: string
  readonly parameters: readonly Expression[]
}

export type Expression = NumberLiteral | Selector | Negation | Binary | Aggregate | Call

/** Everything below an expression that reads series. */
export function selectorsOf(expression: Expression): Selector[] {
  switch (expression.kind) {
    case 'number':
      return []
    case 'selector':
      return [expression]
    case 'negation':
    case 'aggregate':
      return selectorsOf(expression.of)
    case 'binary':
      return [...selectorsOf(expression.left), ...selectorsOf(expression.right)]
    case 'call':
      return expression.parameters.flatMap(selectorsOf)
  }
}
