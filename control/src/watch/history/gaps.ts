/**
 * When nobody watched, for all services at once: not one row for each of them. In the order of time, counted up so that
 * the length of all gaps between two seconds is found by halves.
 */
export interface Gap {
  /** Seconds since 1970. */
  readonly from: number
  readonly to: number
}

/** What is to be written: a gap that is new or longer, or null for one that is gone, by its beginning. */
export type GapWrites = Map<number, Gap | null>

/** A control that dies over and over does not fill the store: of more than these in a day, what lies between is unknown too. */
export const mostGapsPerDay = 24

const daySeconds = 86_400

export class Gaps {
  readonly #nearS: number
  readonly #gaps: Gap[]
  /** The length of all gaps before each. */
  #before: number[] = []

  /** Gaps that are less than `nearS` apart are one. */
  constructor(nearS: number, gaps: readonly Gap[] = []) {
    this.#nearS = nearS
    this.#gaps = [...gaps]
    this.#countFrom(0)
  }

  get all(): readonly Gap[] {
    return this.#gaps
  }

  /** How many seconds between two nobody watched. */
  between(from: number, to: number): number {
    const last = this.#gaps.at(-1)
    if (!last || last.to <= from) return 0
    return this.#upTo(to) - this.#upTo(from)
  }

  /** The newest that has begun. */
  last(now: number): Gap | undefined {
    return this.#gaps.findLast(({ from }) => from <= now)
  }

  /** It begins no earlier than the last one. Figures change from `changedFrom` on. */
  add(gap: Gap): { writes: GapWrites; changedFrom: number } {
    const last = this.#gaps.at(-1)
    if (last && (gap.from - last.to < this.#nearS || this.#isCrowded(gap))) {
      const longer = { from: last.from, to: Math.max(last.to, gap.to) }
      this.#gaps[this.#gaps.length - 1] = longer
      return { writes: new Map([[longer.from, longer]]), changedFrom: last.to }
    }
    this.#gaps.push(gap)
    this.#countFrom(this.#gaps.length - 1)
    return { writes: new Map([[gap.from, gap]]), changedFrom: gap.from }
  }

  /** Takes back what lies after a second: the clock that told it was wrong. */
  cut(second: number): GapWrites {
    const writes: GapWrites = new Map()
    for (let last = this.#gaps.at(-1); last && last.to > second; last = this.#gaps.at(-1)) {
      this.#gaps.pop()
      const shorter = last.from < second ? { from: last.from, to: second } : null
      writes.set(last.from, shorter)
      if (shorter) this.#gaps.push(shorter)
    }
    this.#before.length = this.#gaps.length
    return writes
  }

  forgetBefore(second: number): GapWrites {
    const kept = this.#gaps.findIndex(({ to }) => to > second)
    const gone = this.#gaps.splice(0, kept === -1 ? this.#gaps.length : kept)
    // Counts are only ever subtracted from one another.
    this.#before.splice(0, gone.length)
    return new Map(gone.map(({ from }) => [from, null]))
  }

  #isCrowded({ from }: Gap): boolean {
    const earlier = this.#gaps.at(-mostGapsPerDay)
    return earlier !== undefined && Math.floor(earlier.from / daySeconds) === Math.floor(from / daySeconds)
  }

  #countFrom(first: number): void {
    for (let index = first; index < this.#gaps.length; index++) {
      const gap = this.#gaps[index - 1]
      this.#before[index] = gap ? this.#before[index - 1]! + gap.to - gap.from : 0
    }
  }

  #upTo(second: number): number {
    let [low, high] = [0, this.#gaps.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#gaps[middle]!.from <= second) low = middle + 1
      else high = middle
    }
    if (low === 0) return this.#before[0] ?? 0
    const { from, to } = this.#gaps[low - 1]!
    return this.#before[low - 1]! + Math.min(second, to) - from
  }
}
