/** Numbers as Go writes them, which is how Prometheus shows them: exact digits, halves to the even side, two exponent digits. */

/** `%g`; without digits, as many as tell the number apart from its neighbours. */
export function general(value: number, digits?: number): string {
  if (!Number.isFinite(value)) return special(value)
  const decimal = digits === undefined ? shortest(value) : rounded(value, Math.max(1, digits))
  const isLong = decimal.exponent < -4 || decimal.exponent >= (digits === undefined ? 6 : Math.max(1, digits))
  const trimmed = { ...decimal, digits: decimal.digits.replace(/(?!^)0+$/, '') }
  return isLong
    ? withExponent(trimmed)
    : plain(trimmed, Math.max(0, trimmed.digits.length - 1 - decimal.exponent))
}

/** `%e`. */
export function exponential(value: number, digits?: number): string {
  if (!Number.isFinite(value)) return special(value)
  return withExponent(digits === undefined ? shortest(value) : rounded(value, digits + 1))
}

/** `%f`. */
export function fixed(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return special(value)
  return plain(rounded(value, shortest(value).exponent + 1 + digits), digits)
}

/** Digits d₀d₁d₂… times ten to the exponent, the point after the first of them. */
interface Decimal {
  readonly sign: string
  readonly digits: string
  readonly exponent: number
}

/** More than any number that a comparison or a rounding looks at has. */
const allDigits = 100

const special = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

const shortest = (value: number): Decimal => decimalOf(value, value.toExponential())

function decimalOf(value: number, text: string): Decimal {
  const [, digits, exponent] = text.match(/^-?([\d.]+)e([+-]\d+)$/)!
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return { sign, digits: digits!.replace('.', ''), exponent: Number(exponent) }
}

/** To so many digits. With none, or fewer, what is left is the digit before them: 0, or 1 if it was rounded up. */
function rounded(value: number, count: number): Decimal {
  const exact = decimalOf(value, value.toExponential(allDigits))
  if (count >= exact.digits.length) return exact
  if (value === 0) return { ...exact, digits: '0'.repeat(Math.max(1, count)) }
  if (count < 0) return { ...exact, digits: '0', exponent: exact.exponent - count }
  const [kept, rest] = [exact.digits.slice(0, count), exact.digits.slice(count)]
  const isOdd = Number(kept.at(-1) ?? 0) % 2 === 1
  const isUp = /^50*$/.test(rest) ? isOdd : rest >= '5'
  const sum = (BigInt(kept || '0') + (isUp ? 1n : 0n)).toString().padStart(count, '0')
  // 9.99 became 10.0, which has one digit more before the point.
  const exponent = exact.exponent + sum.length - count
  return { ...exact, digits: sum.slice(0, Math.max(1, count)), exponent }
}

function withExponent({ sign, digits, exponent }: Decimal): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const power = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${power}`
}

function plain({ sign, digits, exponent }: Decimal, decimals: number): string {
  const all = exponent < 0 ? '0'.repeat(-exponent) + digits : digits.padEnd(exponent + 1, '0')
  const whole = all.slice(0, Math.max(1, exponent + 1))
  const fraction = all.slice(whole.length).padEnd(decimals, '0').slice(0, decimals)
  return `${sign}${whole}${fraction && `.${fraction}`}`
}
