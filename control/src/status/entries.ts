/** The entries of all services, each made again when something about it is new. */
import type { Service } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { History, ServiceState, Watch } from '#watch'
import { serviceEntry } from './service-entry.ts'

/** Figures over time move on for those too that nobody looks at. */
const entryForMs = 60_000

export interface Entry {
  readonly service: Service
  /** The same, as JSON. */
  readonly text: string
  readonly madeMs: number
}

export interface EntriesOptions {
  readonly watch: Watch
  readonly history: History
  readonly clock: Clock
  /** Of the status host. */
  readonly url: string
}

export class Entries {
  readonly #options: EntriesOptions
  readonly #entries = new Map<string, Entry>()

  constructor(options: EntriesOptions) {
    this.#options = options
    options.watch.onNews(service => this.#entries.delete(service))
  }

  get(state: ServiceState): Entry {
    const { history, clock, url } = this.#options
    const { id } = state.service
    const madeMs = clock.monotonicMs()
    const known = this.#entries.get(id)
    if (known && madeMs - known.madeMs < entryForMs) return known
    const now = Math.floor(clock.now().getTime() / 1000)
    const service = serviceEntry(state, { history, url, now })
    const entry = { service, text: JSON.stringify(service), madeMs }
    this.#entries.set(id, entry)
    return entry
  }
}
