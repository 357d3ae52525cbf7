/**
 * Durations, counted in buckets of which each ends 7 % above the one before: any number of looks is as small as one, sums are
 * exact, and a percentile is off by less than 4 %.
 */
const firstEdgeMs = 0.1
const growth = 1.07
/** Up to 18 minutes; what takes longer is counted there. */
const lastBucket = 240
const [zero, colon, space] = [48, 58, 32]
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
  #total = 0

  /** Such as `41:3 42:10`: what `toString` has written. */
  static parse(text: string): Buckets {
    const buckets = new Buckets()
    eachPair(text, (bucket, count) => buckets.#add(bucket, count))
    return buckets
  }

  get total(): number {
    return this.#total
  }

  add(ms: number): void {
    this.#add(bucketOf(ms), 1)
  }

  merge(other: Buckets): void {
    for (let index = 0; index < other.#counts.length; index++) {
      if (other.#counts[index] !== 0) this.#add(other.#first + index, other.#counts[index]!)
    }
  }

  /** Told as the middle of the bucket that it lies in. */
  percentiles(): Percentiles {
    if (this.#total <= 0) return noPercentiles
    return percentilesOf(
      this.#total,
      this.#counts,
      index => edgesMs[this.#first + index]! / Math.sqrt(growth),
    )
  }

  toString(): string {
    const pairs: string[] = []
    for (let index = 0; index < this.#counts.length; index++) {
      if (this.#counts[index] !== 0) pairs.push(`${this.#first + index}:${this.#counts[index]}`)
    }
    return pairs.join(' ')
  }

  /** The smallest form, for memory: a character each for a bucket and its count, repeated where that is larger. */
  pack(): string {
    const codes: number[] = []
    for (let index = 0; index < this.#counts.length; index++) {
      for (let left = this.#counts[index]!; left > 0; left -= 255) {
        codes.push(this.#first + index, Math.min(left, 255))
      }
    }
    return String.fromCharCode(...codes)
  }

  /** Takes away what was packed. */
  subtract(packed: string): void {
    for (let index = 0; index < packed.length; index += 2) {
      this.#add(packed.charCodeAt(index), -packed.charCodeAt(index + 1))
    }
  }

  #add(bucket: number, count: number): void {
    if (this.#counts.length === 0) this.#first = bucket
    const index = bucket - this.#first
    if (index < 0 || index >= this.#counts.length) this.#reach(bucket)
    this.#counts[bucket - this.#first]! += count
    this.#total += count
  }

  /** Just large enough: there are tens of thousands of these. */
  #reach(bucket: number): void {
    const first = Math.min(this.#first, bucket)
    const end = Math.max(this.#first + this.#counts.length, bucket + 1)
    const counts = new Array<number>(end - first).fill(0)
    for (let index = 0; index < this.#counts.length; index++) {
      counts[this.#first - first + index] = this.#counts[index]!
    }
    this.#first = first
    this.#counts = counts
  }
}

/** The bucket that a duration is counted in. */
export function bucketOf(ms: number): number {
  if (!(ms > firstEdgeMs)) return 0
  // Less than nothing above an edge is the edge: logarithms are not exact.
  return Math.min(lastBucket, Math.ceil(Math.log(ms / firstEdgeMs) / Math.log(growth) - 1e-9))
}

/** Where a bucket ends. */
export const edgeMs = (bucket: number): number => edgesMs[bucket]!

/** Reads pairs of bucket and count, many at every start. What follows after something else is not looked at. */
export function eachPair(text: string, visit: (bucket: number, count: number) => void): void {
  let [bucket, number] = [-1, 0]
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? space : text.charCodeAt(index)
    if (code >= zero && code <= zero + 9) number = number * 10 + code - zero
    else if (code === colon && bucket === -1) [bucket, number] = [number, 0]
    else if (code === space && bucket >= 0 && bucket <= lastBucket) {
      visit(bucket, number)
      ;[bucket, number] = [-1, 0]
    } else return
  }
}

/** `valueAt` tells the value for a place among the counts, and which share of what is counted there lies below. */
export function percentilesOf(
  total: number,
  counts: readonly number[],
  valueAt: (index: number, share: number) => number,
): Percentiles {
  let [index, below] = [0, 0]
  const at = (rank: number): number => {
    while (index < counts.length - 1 && below + counts[index]! < rank) below += counts[index++]!
    const value = valueAt(index, counts[index] ? (rank - below) / counts[index]! : 1)
    return Number(value.toPrecision(3))
  }
  return { p50: at(total * 0.5), p95: at(total * 0.95), p99: at(total * 0.99) }
}
