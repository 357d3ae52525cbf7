/**
 * What a service counts in the buckets of its own histogram, which are few and wide: each bound is taken for the nearest edge of
 * ours, so that no service makes more of them than there are, and a percentile lies between two bounds, as Prometheus tells it.
 */
import { bucketOf, eachPair, edgeMs, noPercentiles, type Percentiles, percentilesOf } from './buckets.ts'

export class OwnBuckets {
  /** In order. Those without a count stay: they say where the next one begins. */
  #bounds: number[] = []
  #counts: number[] = []

  /** Such as `57:0 67:3`: what `toString` has written. */
  static parse(text: string): OwnBuckets {
    const buckets = new OwnBuckets()
    eachPair(text, (bound, count) => buckets.add(bound, count))
    return buckets
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  add(bound: number, count: number): void {
    let index = this.#bounds.length
    while (index > 0 && this.#bounds[index - 1]! >= bound) index--
    if (this.#bounds[index] === bound) this.#counts[index]! += count
    else {
      this.#bounds.splice(index, 0, bound)
      this.#counts.splice(index, 0, count)
    }
  }

  /** In the order of the bounds, and mostly the same ones as before. */
  addAll(bounds: readonly number[], counts: readonly number[]): void {
    for (let index = 0; index < bounds.length; index++) {
      if (this.#bounds[index] === bounds[index]) this.#counts[index]! += counts[index]!
      else this.add(bounds[index]!, counts[index]!)
    }
  }

  merge(other: OwnBuckets): void {
    this.addAll(other.#bounds, other.#counts)
  }

  percentiles(): Percentiles {
    const total = this.total
    if (total <= 0) return noPercentiles
    return percentilesOf(total, this.#counts, (index, share) => {
      const from = index === 0 ? 0 : edgeMs(this.#bounds[index - 1]!)
      return from + (edgeMs(this.#bounds[index]!) - from) * share
    })
  }

  toString(): string {
    return this.#bounds.map((bound, index) => `${bound}:${this.#counts[index]}`).join(' ')
  }
}

/** Bounds in seconds. What lies above the last is told as that one, as Prometheus does. */
export const boundsOf = (le: readonly number[]): number[] =>
  le.map((bound, index) => bucketOf((Number.isFinite(bound) ? bound : (le[index - 1] ?? 0)) * 1000))
