/** What a template can do with a value: the functions of Prometheus' templates that make text for people. */
import { general } from './go-number.ts'

export type Value = number | string

export const templateFunctions = new Map<string, (value: Value) => string>([
  ['humanize', value => humanize(numberIn(value))],
  ['humanize1024', value => humanize1024(numberIn(value))],
  ['humanizeDuration', value => humanizeDuration(numberIn(value))],
  ['humanizePercentage', value => `${general(numberIn(value) * 100, 4)}%`],
  ['humanizeTimestamp', value => humanizeTimestamp(numberIn(value))],
  ['toUpper', value => textOf(value).toUpperCase()],
  ['toLower', value => textOf(value).toLowerCase()],
])

const large = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']
const small = ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y']
const binary = ['ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'Zi', 'Yi']

export const textOf = (value: Value): string => (typeof value === 'number' ? general(value) : value)

function numberIn(value: Value): number {
  if (typeof value === 'number') return value
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
    throw new Error(`${JSON.stringify(value)} is no number`)
  return Number(value)
}

function humanize(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return general(value, 4)
  return Math.abs(value) >= 1 ? scaledDown(value, 1000, large) : scaledUp(value)
}

function humanize1024(value: number): string {
  return Math.abs(value) <= 1 || !Number.isFinite(value) ? general(value, 4) : scaledDown(value, 1024, binary)
}

function humanizeDuration(value: number): string {
  if (!Number.isFinite(value)) return general(value, 4)
  if (value === 0) return '0s'
  if (Math.abs(value) < 1) return `${scaledUp(value)}s`
  const sign = value < 0 ? '-' : ''
  const whole = Math.trunc(Math.abs(value))
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor(whole / 3600) % 24]
  const [minutes, seconds] = [Math.floor(whole / 60) % 60, whole % 60]
  if (days > 0) return `${sign}${days}d ${hours}h ${minutes}m ${seconds}s`
  if (hours > 0) return `${sign}${hours}h ${minutes}m ${seconds}s`
  if (minutes > 0) return `${sign}${minutes}m ${seconds}s`
  return `${sign}${general(Math.abs(value), 4)}s`
}

/** As Go prints a time, to the millisecond. */
function humanizeTimestamp(value: number): string {
  if (!Number.isFinite(value)) return general(value, 4)
  const at = new Date(Math.trunc(value * 1000))
  if (Number.isNaN(at.getTime())) throw new Error(`${value} is no time`)
  const [date, time] = at.toISOString().split('T')
  return `${date} ${time!.replace('Z', '').replace(/\.?0+$/, '')} +0000 UTC`
}

function scaledDown(value: number, step: number, prefixes: readonly string[]): string {
  let [rest, prefix] = [value, '']
  for (const next of prefixes) {
    if (Math.abs(rest) < step) break
    prefix = next
    rest /= step
  }
  return `${general(rest, 4)}${prefix}`
}

function scaledUp(value: number): string {
  let [rest, prefix] = [value, '']
  for (const next of small) {
    if (Math.abs(rest) >= 1) break
    prefix = next
    rest *= 1000
  }
  return `${general(rest, 4)}${prefix}`
}
