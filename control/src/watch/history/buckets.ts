/**
 * Durations, counted in buckets of which each ends 7 % above the one before: any number of looks is as small as one, sums are
 * exact, and a percentile is off by less than 4 %.
 */
const firstEdgeMs = 0.1
const growth = 1.07
/** Up to 18 minutes; what takes longer is counted there. */
const lastBucket = 240
const edgesMs = Array.from({ length: lastBucket + 1 }, (_, index) => firstEdgeMs * growth ** index)

/** Milliseconds; null when nothing was counted. */
export interface Percentiles {
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export const noPercentiles: Percentiles = { p50: null, p95: null, p99: null }

export class Buckets {
  /** Of the first bucket that is held; those beside it that hold nothing are left out. */
  #first = 0
  #counts: number[] = []

  /** Such as `41:3 42:10`: what `toString` has written. */
  static parse(text: string): Buckets {
    const buckets = new Buckets()
    for (const pair of text === '' ? [] : text.split(' ')) {
      const [bucket, count] = pair.split(':')
      buckets.#add(Number(bucket), Number(count))
    }
    return buckets
  }

  get total(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  add(ms: number, count = 1): void {
    this.#add(bucketOf(ms), count)
  }

  /** Spreads a count evenly over a span, as who knows no more of it must. */
  spread(fromMs: number, toMs: number, count: number): void {
    const last = bucketOf(toMs)
    let placed = 0
    for (let bucket = fromMs <= 0 ? 0 : bucketOf(fromMs); bucket <= last; bucket++) {
      const upTo = bucket === last ? 1 : Math.max(0, (edgesMs[bucket]! - fromMs) / (toMs - fromMs))
      const now = Math.round(count * upTo)
      if (now > placed) this.#add(bucket, now - placed)
      placed = Math.max(placed, now)
    }
  }

  merge(other: Buckets): void {
    for (const [index, count] of other.#counts.entries()) {
      if (count !== 0) this.#add(other.#first + index, count)
    }
  }

  subtract(other: Buckets): void {
    for (const [index, count] of other.#counts.entries()) {
      if (count !== 0) this.#add(other.#first + index, -count)
    }
  }

  percentiles(): Percentiles {
    const total = this.total
    if (total <= 0) return noPercentiles
    return { p50: this.#at(total * 0.5), p95: this.#at(total * 0.95), p99: this.#at(total * 0.99) }
  }

  toString(): string {
    return this.#counts
      .flatMap((count, index) => (count === 0 ? [] : [`${this.#first + index}:${count}`]))
      .join(' ')
  }

  #add(bucket: number, count: number): void {
    if (!(bucket >= 0 && bucket <= lastBucket && Number.isFinite(count))) return
    if (this.#counts.length === 0) this.#first = bucket
    while (bucket < this.#first) {
      this.#counts.unshift(0)
      this.#first--
    }
    while (bucket >= this.#first + this.#counts.length) this.#counts.push(0)
    this.#counts[bucket - this.#first]! += count
  }

  #at(rank: number): number {
    let seen = 0
    const index = this.#counts.findIndex(count => {
      seen += count
      return count > 0 && seen >= rank
    })
    // The middle of the bucket.
    return Number((edgesMs[this.#first + index]! / Math.sqrt(growth)).toPrecision(3))
  }
}

function bucketOf(ms: number): number {
  if (!(ms > firstEdgeMs)) return 0
  // Less than nothing above an edge is the edge: logarithms are not exact.
  return Math.min(lastBucket, Math.ceil(Math.log(ms / firstEdgeMs) / Math.log(growth) - 1e-9))
}
