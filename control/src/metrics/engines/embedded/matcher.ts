/**
 * One condition on a label. Patterns are RE2's, whole and anchored, and matched in linear time (`re2js`), so that no rule of a
 * user can hang the server.
 */
import { RE2JS } from 're2js'
import type { Labels } from './labels.ts'

export type MatchOperator = '=' | '!=' | '=~' | '!~'

export interface Matcher {
  readonly label: string
  readonly operator: MatchOperator
  readonly value: string
  matches(value: string): boolean
}

/** Throws what is wrong with the pattern. */
export function matcherOf(label: string, operator: MatchOperator, value: string): Matcher {
  return { label, operator, value, matches: condition(operator, value) }
}

export const matchesAll = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.every(matcher => matcher.matches(labels.get(matcher.label)))

function condition(operator: MatchOperator, value: string): (text: string) => boolean {
  if (operator === '=') return text => text === value
  if (operator === '!=') return text => text !== value
  const pattern = RE2JS.compile(`^(?:${value})$`)
  // Series come and go with the same few values.
  const known = new Map<string, boolean>()
  const wanted = operator === '=~'
  return text => {
    let matched = known.get(text)
    if (matched === undefined) {
      matched = pattern.testExact(text)
      if (known.size < 1000) known.set(text, matched)
    }
    return matched === wanted
  }
}
