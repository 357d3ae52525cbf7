/** Matchers as Alertmanager writes them: `job="hello"`, `severity!=critical`, `instance=~"web-.*"`, `team!~"a|b"`. */
import { z } from 'zod'

export const matcherOperators = ['=', '!=', '=~', '!~'] as const
export type MatcherOperator = (typeof matcherOperators)[number]

export interface Matcher {
  readonly name: string
  readonly operator: MatcherOperator
  /** Of `=~` and `!~`: an expression of RE2 that the whole value has to match. */
  readonly value: string
}

const form = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))\s*$/s

/** Undefined: it is none. */
export function parseMatcher(text: string): Matcher | undefined {
  const [, name, operator, quoted, bare] = text.match(form) ?? []
  if (name === undefined) return undefined
  const value = quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/gs, (_, c) => escapes[c] ?? c)
  return { name, operator: operator as MatcherOperator, value }
}

const escapes: Record<string, string> = { n: '\n', t: '\t' }

/** One spelling for each. */
export const matcherText = ({ name, operator, value }: Matcher): string =>
  `${name}${operator}"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

export const matcher = z
  .string()
  .max(2000)
  .refine(
    text => parseMatcher(text) !== undefined,
    'must be like job=hello, job!=hello, job=~"a.*" or job!~"a.*"',
  )
