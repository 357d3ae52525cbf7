/** From counters, which only grow and begin anew with their process, to what they grew by in a period. */
import { boundsOf, OwnBuckets } from './own-buckets.ts'

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
  /** How long the counters were watched. */
  readonly observedS: number
  readonly latency: OwnBuckets | null
}

/** A counter that was not read for longer tells nothing of now. */
const longestS = 300
/** More than this nobody serves between two looks: it is no counter. */
const mostIncrease = 1e12
/** A histogram with more bounds than ours has is not one to learn from. */
const mostBounds = 200
const mostShared = 100

interface Read {
  readonly instance: string
  at: number
  requests: number | null
  histogram: Histogram | null
  /** In this period. */
  observedS: number
}

interface Histogram {
  readonly le: readonly number[]
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

export class Increases {
  /** One for each instance, which are few: each counts for itself. */
  #reads: Read[] = []
  #requests: number | null = null
  #latency: OwnBuckets | null = null

  read(instance: string, at: number, { requests, latency }: Signals): void {
    const last = this.#reads.find(read => read.instance === instance)
    const histogram = histogramOf(latency, last?.histogram ?? null)
    if (last && at > last.at && at - last.at <= longestS) {
      last.observedS += at - last.at
      const increase = increaseOf(last.requests, requests)
      if (increase !== null) this.#requests = (this.#requests ?? 0) + increase
      this.#grow(last.histogram, histogram)
    }
    if (last) Object.assign(last, { at, requests, histogram })
    else this.#reads = [...this.#reads, { instance, at, requests, histogram, observedS: 0 }]
  }

  /** Since it was last taken. Instances are watched beside one another: the longest counts. */
  take(): Increase {
    let observedS = 0
    for (const read of this.#reads) {
      observedS = Math.max(observedS, read.observedS)
      read.observedS = 0
    }
    const increase = { requests: this.#requests, observedS, latency: this.#latency }
    this.#requests = null
    this.#latency = null
    return increase
  }

  /** Forgets instances that were not read for long. */
  tidy(now: number): void {
    const isRecent = ({ at }: Read) => Math.abs(now - at) <= longestS
    if (!this.#reads.every(isRecent)) this.#reads = this.#reads.filter(isRecent)
  }

  #grow(before: Histogram | null, now: Histogram | null): void {
    if (!before || !now || before.le !== now.le) return
    const increases = histogramIncrease(before.counts, now.counts)
    if (!increases) return
    this.#latency ??= new OwnBuckets()
    this.#latency.addAll(now.bounds, increases)
  }
}

/** A counter that is smaller than before has begun anew. */
function increaseOf(before: number | null, now: number | null): number | null {
  if (before === null || now === null) return null
  const increase = now >= before ? now - before : now
  return increase >= 0 && increase <= mostIncrease ? increase : null
}

/** Of each bucket by itself; null when it is not what a histogram is. */
function histogramIncrease(before: readonly number[], now: readonly number[]): number[] | null {
  const begunAnew = now.some((count, index) => count < before[index]!)
  const increases: number[] = []
  let below = 0
  for (const [index, count] of now.entries()) {
    const upTo = begunAnew ? count : count - before[index]!
    const increase = Math.round(upTo - below)
    if (!(increase >= 0 && increase <= mostIncrease)) return null
    increases.push(increase)
    below = upTo
  }
  return increases
}

/** The bounds are the same from look to look, and then kept once. */
function histogramOf(latency: Signals['latency'], last: Histogram | null): Histogram | null {
  if (!latency || latency.le.length !== latency.counts.length || latency.le.length > mostBounds) return null
  const { le, counts } = latency
  const isSame = last?.le.length === le.length && last.le.every((bound, index) => bound === le[index])
  if (isSame) return { le: last.le, bounds: last.bounds, counts }
  const isRising = le.every((bound, index) => index === 0 || bound > le[index - 1]!)
  return isRising ? { ...sharedBounds(le), counts } : null
}

const shared = new Map<string, Omit<Histogram, 'counts'>>()

/** Services that are made with the same library have the same, kept once. */
function sharedBounds(le: readonly number[]): Omit<Histogram, 'counts'> {
  const key = le.join(' ')
  const known = shared.get(key) ?? { le, bounds: boundsOf(le) }
  if (shared.size < mostShared) shared.set(key, known)
  return known
}
