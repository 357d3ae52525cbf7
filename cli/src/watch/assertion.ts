/** What is expected of a value in a JSON answer, as it is written on the command line, and back. */
import { type JsonAssertion, jsonAssertion } from '@quarterdeck/contract'
import { InvalidArgumentError } from 'commander'

/** As the help shows it. */
export const assertionForms =
  "'/ok=true', '/free>=10', '/lag<=5', '/state~=up' (contains), '/version^=2.' (begins), '/id' (is there), '!/error' (is not)"

const operators = {
  '=': 'equals',
  '>=': 'at_least',
  '<=': 'at_most',
  '~=': 'contains',
  '^=': 'starts_with',
} as const
type Operator = keyof typeof operators

export function assertionOf(text: string): JsonAssertion {
  const [, path, operator, value] = /^(.*?)(>=|<=|~=|\^=|=)(.*)$/s.exec(text) ?? []
  const read = operator
    ? { path, [operators[operator as Operator]]: meant(operator as Operator, value!) }
    : { path: text.replace(/^!/, ''), exists: !text.startsWith('!') }
  const { data, error } = jsonAssertion.safeParse(read)
  if (data) return data
  throw new InvalidArgumentError(`${error.issues[0]!.message}. It is written as ${assertionForms}.`)
}

/** After = what is JSON is meant as such: `true` is no text, `"true"` is one. */
function meant(operator: Operator, text: string): unknown {
  if (operator === '~=' || operator === '^=') return text
  if (operator !== '=') return text.trim() === '' ? text : Number(text)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function assertionText(assertion: JsonAssertion): string {
  const { path, exists } = assertion
  if (exists !== undefined) return exists ? path : `!${path}`
  for (const [operator, condition] of Object.entries(operators)) {
    const value = assertion[condition]
    if (value !== undefined) return `${path}${operator}${operator === '=' ? JSON.stringify(value) : value}`
  }
  return path
}
