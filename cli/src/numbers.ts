/** Numbers, lengths of time and moments as they are given on the command line. */
import { InvalidArgumentError } from 'commander'

export const count =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }

export function seconds(text: string): number {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value
  throw new InvalidArgumentError('It must be a number of seconds above 0.')
}

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 }
const span = /^(\d{1,6})([smhdw])$/

/** `90d`, `24h`: in seconds. */
export function lengthOfTime(text: string): number {
  const [, amount, unit] = span.exec(text) ?? []
  if (amount && unit) return Number(amount) * units[unit]!
  throw new InvalidArgumentError('It must be a length of time such as 24h or 90d.')
}

/** A length of time from now, a day (its beginning, in UTC) or a moment; never in the past. */
export function future(text: string): string {
  const ms = span.test(text)
    ? Date.now() + lengthOfTime(text) * 1000
    : /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text)
      ? Date.parse(text)
      : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError('It must be such as 90d or 2027-01-01.')
  if (ms <= Date.now()) throw new InvalidArgumentError('It must not be in the past.')
  return new Date(ms).toISOString()
}
