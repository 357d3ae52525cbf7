/** Wakes those who wait for a run to change. */
import { Signal } from '#events'
import type { Store } from '#store'

/** How often to look where other processes may have changed it. */
const lookMs = 1000

export class RunSignals {
  readonly #store: Store
  readonly #signals = new Map<string, { signal: Signal; waiting: number }>()

  constructor(store: Store) {
    this.#store = store
  }

  raise(runId: string): void {
    this.#signals.get(runId)?.signal.raise()
  }

  /** Resolves at the next change, or when it is time to look, or `ended`. Ask before reading, so that nothing slips between. */
  async next(runId: string, ended: AbortSignal): Promise<void> {
    const entry = this.#signals.get(runId) ?? { signal: new Signal(), waiting: 0 }
    entry.waiting++
    this.#signals.set(runId, entry)
    await entry.signal.wait(ended, this.#store.flags.concurrent_writers ? lookMs : undefined)
    if (--entry.waiting === 0) this.#signals.delete(runId)
  }
}
