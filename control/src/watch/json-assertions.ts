/** Whether single values of a JSON body are what somebody expects of them. The body is a stranger’s: it is only ever read. */
import type { JsonAssertion } from '@quarterdeck/contract'

/** What is longer is no answer to a probe, and reading it would hold everything else up. */
const longestJson = 1024 * 1024

export type ReadJson = { readonly value: unknown } | { readonly problem: string }

export function readJson(type: string, body: Buffer): ReadJson {
  if (!/^(application|text)\/json$|\+json$/.test(type))
    return { problem: `answers ${type === '' ? 'without a type' : shownType(type)}, where JSON is expected` }
  if (body.length > longestJson)
    return { problem: 'answers more than 1 MiB, which is too long to be read as JSON' }
  try {
    return { value: JSON.parse(utf8.decode(body)) }
  } catch {
    return { problem: 'does not answer valid JSON' }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The server’s own words, which somebody may read. */
const shownType = (type: string) => (/^[\w.+/-]{1,60}$/.test(type) ? type : 'a type that cannot be')

/** Null: it holds. */
export function assertionProblem(document: unknown, assertion: JsonAssertion): string | null {
  const found = at(document, assertion.path)
  const place = assertion.path === '' ? 'the document' : assertion.path
  if (assertion.exists !== undefined) {
    return assertion.exists === found.exists ? null : `${place} is ${found.exists ? '' : 'not '}there`
  }
  if (!found.exists) return `${place} is not there`
  const { value } = found
  if (assertion.equals !== undefined)
    return value === assertion.equals
      ? null
      : `${place} is ${shown(value)}, not ${JSON.stringify(assertion.equals)}`
  if (assertion.contains !== undefined)
    return textProblem(
      value,
      text => text.includes(assertion.contains!),
      place,
      'does not contain what is expected',
    )
  if (assertion.starts_with !== undefined)
    return textProblem(
      value,
      text => text.startsWith(assertion.starts_with!),
      place,
      'does not begin as expected',
    )
  if (assertion.at_least !== undefined)
    return numberProblem(
      value,
      number => number >= assertion.at_least!,
      place,
      `less than ${assertion.at_least}`,
    )
  return numberProblem(value, number => number <= assertion.at_most!, place, `more than ${assertion.at_most}`)
}

/** By RFC 6901; only what the document itself holds counts. */
function at(document: unknown, pointer: string): { exists: boolean; value?: unknown } {
  let value = document
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null) return { exists: false }
    if (Array.isArray(value) && !/^(0|[1-9]\d{0,9})$/.test(key)) return { exists: false }
    if (!Object.hasOwn(value, key)) return { exists: false }
    value = (value as Record<string, unknown>)[key]
  }
  return { exists: true, value }
}

function textProblem(
  value: unknown,
  holds: (text: string) => boolean,
  place: string,
  how: string,
): string | null {
  if (typeof value !== 'string') return `${place} is ${shown(value)}, not a text`
  return holds(value) ? null : `${place} ${how}`
}

/** 1e999 is more than can be counted with. */
function numberProblem(
  value: unknown,
  holds: (number: number) => boolean,
  place: string,
  how: string,
): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return `${place} is ${shown(value)}, not a number`
  return holds(value) ? null : `${place} is ${value}, ${how}`
}

/** Reasons are for everybody to read, and a text may be anything. */
function shown(value: unknown): string {
  if (typeof value === 'string') return 'another text'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond counting'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a list' : 'an object'
}
