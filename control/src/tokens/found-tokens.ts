/**
 * Tokens that were found lately, by hash, because every call asks for one. Exact within this process: any change of a
 * token empties it when that is committed. Where other processes write too, an entry counts for a second at most.
 */
import type { Clock } from '@quarterdeck/kit'
import type { Store } from '#store'

const remembered = 5000
const sharedForMs = 1000

export class FoundTokens<T> {
  readonly #clock: Clock
  readonly #shared: boolean
  readonly #found = new Map<string, { value: T; readMs: number }>()
  #changed = false
  #generation = 0

  constructor(store: Store, clock: Clock) {
    this.#clock = clock
    this.#shared = store.flags.concurrent_writers
    // The listener runs before anybody hears of the commit, so no answer is older than what its asker knows.
    store.onCommit(() => {
      if (!this.#changed) return
      this.#changed = false
      this.#generation++
      this.#found.clear()
    })
  }

  /** To be called in the transaction that changes a token. */
  change(): void {
    this.#changed = true
  }

  async get(hash: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const readMs = this.#clock.monotonicMs()
    const known = this.#found.get(hash)
    if (known && !(this.#shared && readMs - known.readMs >= sharedForMs)) return known.value
    const generation = this.#generation
    const value = await read()
    // What was read before a change must not be remembered after it.
    if (value !== undefined && generation === this.#generation) this.#remember(hash, value, readMs)
    return value
  }

  #remember(hash: string, value: T, readMs: number): void {
    this.#found.delete(hash)
    this.#found.set(hash, { value, readMs })
    const oldest = this.#found.keys().next()
    if (this.#found.size > remembered && !oldest.done) this.#found.delete(oldest.value)
  }
}
