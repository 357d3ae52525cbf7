/** Matchers at work, as in Alertmanager: expressions are RE2's, which take time in proportion to the text, and match the whole value. */
import { Fault, type Matcher, parseMatcher } from '@quarterdeck/contract'
import { RE2JS } from 're2js'
import type { Labels } from './labels.ts'

const longestExpression = 1000
/** Compiled ones are kept: each alert is held against every silence. */
const compiled = new Map<string, RE2JS>()
const compiledAtMost = 500

/** Whether every one of them matches. A label that is not there has the value ''. */
export const allMatch = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.every(matcher => matches(matcher, labels[matcher.name] ?? ''))

function matches({ operator, value: wanted }: Matcher, value: string): boolean {
  if (operator === '=') return value === wanted
  if (operator === '!=') return value !== wanted
  return expression(wanted).matches(value) === (operator === '=~')
}

function expression(text: string): RE2JS {
  const known = compiled.get(text)
  if (known) return known
  if (compiled.size >= compiledAtMost) compiled.clear()
  const made = RE2JS.compile(text)
  compiled.set(text, made)
  return made
}

/** From what somebody sent; a fault that names what is wrong with it. */
export function checkedMatchers(texts: readonly string[]): Matcher[] {
  const matchers = texts.map((text, index) => {
    const matcher = parseMatcher(text)
    if (!matcher) throw refused(index, 'must be like job=hello or job=~"a.*"')
    if (matcher.operator.endsWith('~')) refuseExpression(matcher.value, index)
    return matcher
  })
  // It would silence everything.
  if (allMatch(matchers, {}))
    throw refused(0, 'must be about a label that an alert has: these match every alert')
  return matchers
}

function refuseExpression(text: string, index: number): void {
  if (text.length > longestExpression)
    throw refused(index, `must be no longer than ${longestExpression} characters`)
  try {
    expression(text)
  } catch (error) {
    throw refused(index, `must be an expression of RE2: ${(error as Error).message}`)
  }
}

const refused = (index: number, message: string) =>
  new Fault('invalid_fields', 'The matchers are not acceptable.', {
    fields: [{ field: `matchers.${index}`, message }],
  })
