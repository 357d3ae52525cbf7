/** Counts per key within a minute, for limits. */
import type { Clock } from '@quarterdeck/kit'

const windowMs = 60_000
const rememberedKeys = 10_000

export class PerMinute {
  readonly #clock: Clock
  readonly #limit: number
  readonly #counts = new Map<string, { count: number; sinceMs: number }>()

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Seconds until the key may be used again; 0 while it is below the limit. */
  waitS(key: string): number {
    const entry = this.#counts.get(key)
    if (!entry) return 0
    const leftMs = entry.sinceMs + windowMs - this.#clock.monotonicMs()
    if (leftMs <= 0) this.#counts.delete(key)
    return leftMs > 0 && entry.count >= this.#limit ? Math.ceil(leftMs / 1000) : 0
  }

  count(key: string): void {
    const entry = this.#counts.get(key) ?? { count: 0, sinceMs: this.#clock.monotonicMs() }
    entry.count++
    this.#counts.set(key, entry)
    // Those who come with ever new keys must not fill the memory.
    const oldest = this.#counts.keys().next()
    if (this.#counts.size > rememberedKeys && !oldest.done) this.#counts.delete(oldest.value)
  }
}
