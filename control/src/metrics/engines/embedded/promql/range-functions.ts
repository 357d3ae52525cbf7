/** The functions that make one value of the samples of a range. */
import type { Window } from '../samples.ts'
import { ExactSum } from './exact-sum.ts'
import { growth, lastStep, type Span } from './rate.ts'
import { fittedLine } from './trend.ts'

/** Undefined: too few samples. The window has at least one. */
type Compute = (window: Window, span: Span, parameter: number) => number | undefined

export interface RangeFunction {
  readonly compute: Compute
  /** Where the number stands that it takes besides the range. */
  readonly parameter?: 'first' | 'second'
  readonly keepsName?: true
}

export const rangeFunctions = new Map<string, RangeFunction>([
  ['rate', { compute: (window, span) => perSecond(growth(window, span, true), span) }],
  ['increase', { compute: (window, span) => growth(window, span, true) }],
  ['delta', { compute: (window, span) => growth(window, span, false) }],
  ['irate', { compute: window => lastStep(window, true) }],
  ['idelta', { compute: window => lastStep(window, false) }],
  ['deriv', { compute: window => fittedLine(window, window.times[window.from]!)?.slope }],
  ['predict_linear', { compute: predicted, parameter: 'second' }],
  ['avg_over_time', { compute: average }],
  ['min_over_time', { compute: window => extreme(window, (value, best) => value < best) }],
  ['max_over_time', { compute: window => extreme(window, (value, best) => value > best) }],
  ['sum_over_time', { compute: sum }],
  ['count_over_time', { compute: ({ from, to }) => to - from }],
  ['last_over_time', { compute: ({ values, to }) => values[to - 1], keepsName: true }],
  ['present_over_time', { compute: () => 1 }],
  ['stddev_over_time', { compute: window => Math.sqrt(variance(window)) }],
  ['stdvar_over_time', { compute: variance }],
  ['quantile_over_time', { compute: quantile, parameter: 'first' }],
  ['changes', { compute: window => steps(window, (value, before) => !isSame(value, before)) }],
  ['resets', { compute: window => steps(window, (value, before) => value < before) }],
])

const perSecond = (grown: number | undefined, { fromMs, toMs }: Span): number | undefined =>
  grown === undefined ? undefined : grown / ((toMs - fromMs) / 1000)

function predicted(window: Window, { atMs }: Span, seconds: number): number | undefined {
  const line = fittedLine(window, atMs)
  return line && line.slope * seconds + line.atZero
}

function sum({ values, from, to }: Window): number {
  const total = new ExactSum()
  for (let i = from; i < to; i++) total.add(values[i]!)
  return total.value
}

/** Step by step, since the sum of all may be too large for a number. */
function average({ values, from, to }: Window): number {
  const mean = new ExactSum()
  for (let i = from; i < to; i++) {
    const value = values[i]!
    const count = i - from + 1
    if (staysInfinite(mean.rough, value)) continue
    mean.add(value / count - mean.rough / count)
  }
  return mean.value
}

/** An infinite mean changes only by an infinity of the other sign or by what is no number. */
export const staysInfinite = (mean: number, value: number): boolean =>
  (mean === Infinity || mean === -Infinity) && (value === mean || Number.isFinite(value))

function extreme({ values, from, to }: Window, isBetter: (value: number, best: number) => boolean): number {
  let best = values[from]!
  for (let i = from; i < to; i++) if (isBetter(values[i]!, best) || Number.isNaN(best)) best = values[i]!
  return best
}

function variance({ values, from, to }: Window): number {
  const [mean, squares] = [new ExactSum(), new ExactSum()]
  for (let i = from; i < to; i++) {
    const off = values[i]! - mean.value
    mean.add(off / (i - from + 1))
    squares.add(off * (values[i]! - mean.value))
  }
  return squares.value / (to - from)
}

function quantile({ values, from, to }: Window, _span: Span, share: number): number {
  if (Number.isNaN(share)) return Number.NaN
  if (share < 0) return -Infinity
  if (share > 1) return Infinity
  const sorted = values.slice(from, to).sort()
  // What is no number comes first; a typed array sorts it to the end.
  const numbers = sorted.findIndex(Number.isNaN)
  if (numbers >= 0)
    sorted.copyWithin(sorted.length - numbers, 0, numbers).fill(Number.NaN, 0, sorted.length - numbers)
  const rank = share * (sorted.length - 1)
  const lower = Math.floor(rank)
  const upper = Math.min(sorted.length - 1, lower + 1)
  const weight = rank - lower
  return sorted[lower]! * (1 - weight) + sorted[upper]! * weight
}

function steps({ values, from, to }: Window, isOne: (value: number, before: number) => boolean): number {
  let count = 0
  for (let i = from + 1; i < to; i++) if (isOne(values[i]!, values[i - 1]!)) count++
  return count
}

const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b))
