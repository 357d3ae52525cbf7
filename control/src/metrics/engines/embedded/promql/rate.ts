/**
 * How much a series grew over a range: between its first and last sample, and from there to the ends of the range as far as
 * the samples allow. The steps are those of Prometheus 2, so that the values are.
 */
import type { Window } from '../samples.ts'

export interface Span {
  readonly fromMs: number
  readonly toMs: number
  /** When the expression is evaluated; differs from `toMs` by the offset. */
  readonly atMs: number
}

/** Undefined with fewer than two samples. A counter that became smaller has begun anew. */
export function growth(window: Window, span: Span, isCounter: boolean): number | undefined {
  const { times, values, from, to } = window
  const count = to - from
  if (count < 2) return undefined
  const first = values[from]!
  const grown = values[to - 1]! - first + (isCounter ? lostInResets(window) : 0)
  const sampledS = (times[to - 1]! - times[from]!) / 1000
  const betweenS = sampledS / (count - 1)
  let toStartS = (times[from]! - span.fromMs) / 1000
  if (isCounter && grown > 0 && first >= 0) {
    // A counter was never below 0: it cannot have begun before it was 0.
    const sinceZeroS = sampledS * (first / grown)
    if (sinceZeroS < toStartS) toStartS = sinceZeroS
  }
  const toEndS = (span.toMs - times[to - 1]!) / 1000
  const covered = sampledS + reach(toStartS, betweenS) + reach(toEndS, betweenS)
  return grown * (covered / sampledS)
}

/** Up to the end of the range if that is about where a sample would be, otherwise half a distance between two. */
const reach = (gapS: number, betweenS: number): number => (gapS < betweenS * 1.1 ? gapS : betweenS / 2)

function lostInResets({ values, from, to }: Window): number {
  let lost = 0
  for (let i = from + 1; i < to; i++) if (values[i]! < values[i - 1]!) lost += values[i - 1]!
  return lost
}

/** From the last two samples alone. */
export function lastStep({ times, values, from, to }: Window, isRate: boolean): number | undefined {
  if (to - from < 2) return undefined
  const [before, last] = [values[to - 2]!, values[to - 1]!]
  const step = isRate && last < before ? last : last - before
  return isRate ? step / ((times[to - 1]! - times[to - 2]!) / 1000) : step
}
