/** From counters, which only grow and begin anew with their process, to what they grew by since the last look. */
import { Buckets } from './buckets.ts'

/** What a service says of itself in its metrics. */
export interface Signals {
  /** Of all requests. */
  readonly requests: number | null
  /** The service's own histogram: how many took up to so many seconds, cumulative; the last bound may be infinite. */
  readonly latency: { readonly le: readonly number[]; readonly counts: readonly number[] } | null
  readonly memoryBytes: number | null
}

export interface Increase {
  readonly requests: number | null
  /** Between the two looks. */
  readonly seconds: number
  readonly latency: Buckets | null
}

/** A counter that was not read for longer tells nothing of now. */
const longestS = 300
/** More than this nobody serves between two looks: it is no counter. */
const mostIncrease = 1e12

interface Read extends Signals {
  readonly at: number
}

export class Increases {
  /** By instance: each counts for itself. */
  readonly #last = new Map<string, Read>()

  /** Null for the first look, and after a long time without one. */
  since(instance: string, at: number, signals: Signals): Increase | null {
    const last = this.#last.get(instance)
    this.#last.set(instance, { ...signals, at })
    if (!last || at <= last.at || at - last.at > longestS) return null
    const requests = increaseOf(last.requests, signals.requests)
    return { requests, seconds: at - last.at, latency: latencyOf(last.latency, signals.latency) }
  }

  forget(instance: string): void {
    this.#last.delete(instance)
  }
}

/** A counter that is smaller than before has begun anew. */
function increaseOf(before: number | null, now: number | null): number | null {
  if (before === null || now === null) return null
  const increase = now >= before ? now - before : now
  return increase >= 0 && increase <= mostIncrease ? increase : null
}

function latencyOf(before: Signals['latency'], now: Signals['latency']): Buckets | null {
  if (!before || !now || !isSame(before.le, now.le)) return null
  const begunAnew = now.counts.some((count, index) => !(count >= before.counts[index]!))
  const buckets = new Buckets()
  let [fromS, below] = [0, 0]
  for (const [index, toS] of now.le.entries()) {
    const upTo = now.counts[index]! - (begunAnew ? 0 : before.counts[index]!)
    const count = Math.round(upTo - below)
    if (!(count >= 0 && count <= mostIncrease)) return null
    // What lies above the last bound is told as that bound, as Prometheus does.
    if (count > 0 && toS > fromS && Number.isFinite(toS)) buckets.spread(fromS * 1000, toS * 1000, count)
    else if (count > 0) buckets.add(fromS * 1000, count)
    if (Number.isFinite(toS)) fromS = toS
    below = upTo
  }
  return buckets
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((bound, index) => bound === other[index])
