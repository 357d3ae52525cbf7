/** Numbers, durations and strings of PromQL, from their text to their value. */

const unitMs: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

/** With or without a sign; a duration is its seconds. */
export function numberOf(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[+-]\s*/, '').toLowerCase()
  if (digits === 'inf') return sign * Infinity
  if (digits === 'nan') return Number.NaN
  if (isDuration(digits)) return (sign * durationMs(digits)) / 1000
  // As Go reads it: a whole number that begins with 0 is octal.
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8)
  return sign * Number(digits.replaceAll('_', ''))
}

/** Such as `1h30m`; a bare number is seconds. */
export function durationMs(text: string): number {
  if (!isDuration(text)) return Number(text.replaceAll('_', '')) * 1000
  const parts = [...text.matchAll(/(\d+)(ms|[ywdhms])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!, 0)
}

/** Undefined when it is not closed, or has an escape that Go does not know. */
export function stringOf(literal: string): string | undefined {
  const quote = literal[0]!
  if (literal.length < 2 || !literal.endsWith(quote)) return undefined
  const inside = literal.slice(1, -1)
  if (quote === '`') return inside
  let isGood = true
  const text = inside.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/gs,
    (_, x: string, u: string, long: string, octal: string, letter: string) => {
      const hex = x ?? u ?? long
      const code = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : undefined
      if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code)
      // A string may hold its own quote, escaped, but not the other one.
      const known = letter === "'" || letter === '"' ? letter === quote : letter in escapes
      isGood &&= known
      return escapes[letter] ?? ''
    },
  )
  return isGood && !/\\$/.test(inside.replace(/\\./gs, '')) ? text : undefined
}

const isDuration = (text: string): boolean => /^\d+(ms|[ywdhms])/.test(text)

/** As Prometheus writes a duration: the largest units first, years and weeks only where nothing is left over. */
export function durationText(ms: number): string {
  let left = ms
  const parts = shownUnits.flatMap(([unit, unitMs, isExact]) => {
    const count = isExact && left % unitMs !== 0 ? 0 : Math.floor(left / unitMs)
    left -= count * unitMs
    return count > 0 ? [`${count}${unit}`] : []
  })
  return parts.length > 0 ? parts.join('') : '0s'
}

const shownUnits = [
  ['y', 365 * 86_400_000, true],
  ['w', 7 * 86_400_000, true],
  ['d', 86_400_000, false],
  ['h', 3_600_000, false],
  ['m', 60_000, false],
  ['s', 1000, false],
  ['ms', 1, false],
] as const
