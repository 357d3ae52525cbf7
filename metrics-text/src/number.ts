/** Numbers as both formats write them: decimal, or in words for what is infinite or none. */

const zero = 48
const nine = 57
const point = 46
const minus = 45
const plus = 43

/** So many digits, with a point among them, are exact as a quotient of two exact numbers. */
const exactLength = 16
const powersOfTen = Array.from({ length: exactLength }, (_, exponent) => 10 ** exponent)

/** The number that is written from `start` to `end`; undefined where it is none, or too large to be one. */
export function numberBetween(text: string, start: number, end: number): number | undefined {
  if (end - start > exactLength || end <= start) return longNumber(text.slice(start, end))
  let digits = 0
  let pointAt = -1
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code >= zero && code <= nine) digits = digits * 10 + code - zero
    else if (code === point && pointAt < 0) pointAt = at
    else return longNumber(text.slice(start, end))
  }
  if (pointAt < 0) return end - start === exactLength ? longNumber(text.slice(start, end)) : digits
  return end - start === 1 ? undefined : digits / powersOfTen[end - pointAt - 1]!
}

export const numberOf = (text: string): number | undefined => numberBetween(text, 0, text.length)

/** What is not made of digits and one point alone. */
function longNumber(text: string): number | undefined {
  if (text === '') return undefined
  for (let at = 0; at < text.length; at++) {
    if (!isOfDecimal(text.charCodeAt(at))) return inWords.get(text.toLowerCase())
  }
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Number() takes more than that: blanks, hexadecimal, Infinity. */
const isOfDecimal = (code: number): boolean =>
  (code >= zero && code <= nine) ||
  code === point ||
  code === minus ||
  code === plus ||
  code === 101 ||
  code === 69

const inWords: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
  ['infinity', Infinity],
  ['+infinity', Infinity],
  ['-infinity', -Infinity],
])
