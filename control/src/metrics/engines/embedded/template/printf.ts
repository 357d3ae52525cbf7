/** `printf` of templates: its format is checked when a file is loaded, so that it cannot fail later. */
import { textOf, type Value } from './functions.ts'
import { exponential, fixed, general } from './go-number.ts'

const numberVerbs: Readonly<Record<string, (value: number, digits: number | undefined) => string>> = {
  f: (value, digits) => fixed(value, digits),
  e: (value, digits = 6) => exponential(value, digits),
  g: general,
}

const most = 50

/** `kinds` are those of the values to come. Throws what is wrong. */
export function printer(
  format: string,
  kinds: readonly ('number' | 'text')[],
): (values: readonly Value[]) => string {
  const parts: (string | ((values: readonly Value[]) => string))[] = []
  let next = 0
  for (const [text, digits, verb] of format.matchAll(/[^%]+|%(?:\.(\d*))?([a-zA-Z%]?)|%/g)) {
    if (!text.startsWith('%')) parts.push(text)
    else if (text === '%%') parts.push('%')
    else parts.push(verbOf(text, digits, verb ?? '', kinds[next], next++))
  }
  if (next !== kinds.length)
    throw new Error(`printf ${JSON.stringify(format)} is given ${kinds.length} values`)
  return values => parts.map(part => (typeof part === 'string' ? part : part(values))).join('')
}

function verbOf(
  text: string,
  digits: string | undefined,
  verb: string,
  kind: 'number' | 'text' | undefined,
  at: number,
): (values: readonly Value[]) => string {
  const count = digits === undefined ? undefined : Number(digits)
  const write = Object.hasOwn(numberVerbs, verb) ? numberVerbs[verb] : undefined
  if (kind === 'number' && write && (count ?? 0) <= most) return values => write(values[at] as number, count)
  if (kind && (verb === 'v' || (verb === 's' && kind === 'text')) && digits === undefined)
    return values => textOf(values[at]!)
  throw new Error(
    `${text} in printf is not known for ${kind ? `a ${kind}` : 'a value that is not given'}: use %f, %e, %g or %v for numbers, %s for text`,
  )
}
