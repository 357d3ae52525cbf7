/** The straight line that fits the samples of a range best. */
import type { Window } from '../samples.ts'
import { ExactSum } from './exact-sum.ts'

export interface Line {
  /** Per second. */
  readonly slope: number
  /** Its value at `zeroMs`. */
  readonly atZero: number
}

/** Undefined with fewer than two samples. */
export function fittedLine({ times, values, from, to }: Window, zeroMs: number): Line | undefined {
  const count = to - from
  if (count < 2) return undefined
  const [x, y, xy, xx] = [new ExactSum(), new ExactSum(), new ExactSum(), new ExactSum()]
  let isFlat = true
  for (let i = from; i < to; i++) {
    const second = (times[i]! - zeroMs) / 1000
    const value = values[i]!
    isFlat &&= value === values[from]
    x.add(second)
    y.add(value)
    xy.add(second * value)
    xx.add(second * second)
  }
  if (isFlat) {
    const level = values[from]!
    return Number.isFinite(level) ? { slope: 0, atZero: level } : { slope: Number.NaN, atZero: Number.NaN }
  }
  const together = xy.value - (x.value * y.value) / count
  const spread = xx.value - (x.value * x.value) / count
  const slope = together / spread
  return { slope, atZero: y.value / count - (slope * x.value) / count }
}
