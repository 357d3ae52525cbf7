/**
 * The samples of one series, oldest first, in two arrays of numbers. What is older than anybody asks for is dropped from the
 * front; a marker says where the series ended, so that it is not taken for what it was before.
 */

const smallestCapacity = 8

/** A stretch of samples without markers: `from` up to, not including, `to`. Valid until the next is asked for. */
export interface Window {
  times: Float64Array
  values: Float64Array
  from: number
  to: number
}

export class Samples {
  #times = new Float64Array(smallestCapacity)
  #values = new Float64Array(smallestCapacity)
  /** 1 for a marker. Only there when there is one. */
  #stale: Uint8Array | undefined
  #from = 0
  #to = 0

  get length(): number {
    return this.#to - this.#from
  }

  /** -Infinity when there is none. */
  get newestMs(): number {
    return this.length === 0 ? -Infinity : this.#times[this.#to - 1]!
  }

  get newestIsStale(): boolean {
    return this.length > 0 && this.#stale?.[this.#to - 1] === 1
  }

  newestIs(value: number): boolean {
    return !this.newestIsStale && Object.is(this.#values[this.#to - 1], value)
  }

  /** The time has to be later than the newest. Null is the marker. */
  push(atMs: number, value: number | null, keepFromMs: number, limit: number): void {
    while (this.#from < this.#to && (this.#times[this.#from]! < keepFromMs || this.length >= limit)) {
      this.#from++
    }
    if (this.#to === this.#times.length) this.#makeRoom()
    this.#times[this.#to] = atMs
    this.#values[this.#to] = value ?? Number.NaN
    if (value === null) this.#stale ??= new Uint8Array(this.#times.length)
    if (this.#stale) this.#stale[this.#to] = value === null ? 1 : 0
    this.#to++
  }

  /** The clock that told their times was set by so much. */
  move(ms: number): void {
    for (let i = this.#from; i < this.#to; i++) this.#times[i]! += ms
  }

  /** The newest value at a time, looking back so far; undefined if there is none or the series had ended. */
  valueAt(atMs: number, lookbackMs: number): number | undefined {
    const at = this.#newestAt(atMs, lookbackMs)
    return at < 0 ? undefined : this.#values[at]
  }

  /** When `valueAt` was taken. */
  timeAt(atMs: number, lookbackMs: number): number {
    return this.#times[this.#newestAt(atMs, lookbackMs)]!
  }

  /** Both ends belong to it. */
  window(fromMs: number, toMs: number, into: Window): Window {
    into.from = this.#firstAfter(fromMs - 1)
    into.to = this.#firstAfter(toMs)
    into.times = this.#times
    into.values = this.#values
    if (this.#stale) withoutMarkers(into, this.#stale)
    return into
  }

  #newestAt(atMs: number, lookbackMs: number): number {
    const at = this.newestMs <= atMs ? this.#to - 1 : this.#firstAfter(atMs) - 1
    if (at < this.#from || this.#times[at]! < atMs - lookbackMs || this.#stale?.[at] === 1) return -1
    return at
  }

  /** The index of the first sample later than a time. Times are whole milliseconds. */
  #firstAfter(atMs: number): number {
    if (this.newestMs <= atMs) return this.#to
    let [low, high] = [this.#from, this.#to]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#times[middle]! <= atMs) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Moves to the front what is left, into more or less room if need be: as much again as is used. */
  #makeRoom(): void {
    const used = this.length
    const capacity = Math.max(smallestCapacity, 2 ** Math.ceil(Math.log2(used * 1.5 + 1)))
    this.#times = moved(this.#times, new Float64Array(capacity), this.#from, this.#to)
    this.#values = moved(this.#values, new Float64Array(capacity), this.#from, this.#to)
    const stale = this.#stale?.subarray(this.#from, this.#to)
    this.#stale = stale?.includes(1) ? moved(stale, new Uint8Array(capacity), 0, used) : undefined
    this.#from = 0
    this.#to = used
  }
}

function moved<T extends Float64Array | Uint8Array>(source: T, target: T, from: number, to: number): T {
  target.set(source.subarray(from, to))
  return target
}

function withoutMarkers(window: Window, stale: Uint8Array): void {
  if (!stale.subarray(window.from, window.to).includes(1)) return
  const kept: number[] = []
  for (let i = window.from; i < window.to; i++) if (stale[i] === 0) kept.push(i)
  window.times = Float64Array.from(kept, i => window.times[i]!)
  window.values = Float64Array.from(kept, i => window.values[i]!)
  window.from = 0
  window.to = kept.length
}
