/** The rows of all services, ready-made: a page of thousands is put together, not made. */
import { historyDays } from '@quarterdeck/contract'
import type { Html } from '@quarterdeck/pages'
import type { ServiceState } from '#watch'
import type { StatusOptions } from '../status-json.ts'
import { serviceRow } from './service-row.ts'

/** What was only looked at again is shown so late, on a page, at most; another status at once. */
const rowForMs = 60_000
/** For making some again in one go, so that nothing waits for it. */
const renewingMs = 40
/** After that nobody seems to look any more. */
const askedForMs = 600_000

interface Row {
  readonly html: Html
  /** What is to be seen at once when it is different. */
  readonly key: string
  readonly madeMs: number
}

export class Rows {
  readonly #options: StatusOptions
  readonly #rows = new Map<string, Row>()
  #askedMs: number

  constructor(options: StatusOptions) {
    this.#options = options
    this.#askedMs = options.clock.monotonicMs()
    options.watch.onNews((id, news) => news === 'changed' && this.#review(id))
  }

  get(state: ServiceState): Html {
    this.#askedMs = this.#options.clock.monotonicMs()
    return (this.#rows.get(state.service.id) ?? this.#make(state)).html
  }

  /** To be called every second: makes some of those that are missing or old. */
  renew(): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#askedMs > askedForMs) return
    for (const state of this.#options.watch.services) {
      const row = this.#rows.get(state.service.id)
      if (row && nowMs - row.madeMs < rowForMs) continue
      this.#make(state)
      if (this.#options.clock.monotonicMs() - nowMs > renewingMs) return
    }
  }

  /** Of all services it is told that they may have changed when one of them has other settings. */
  #review(id: string): void {
    const state = this.#options.watch.service(id)
    if (!state || this.#rows.get(id)?.key !== keyOf(state)) this.#rows.delete(id)
  }

  #make(state: ServiceState): Row {
    const { history, entries, clock, timeZone } = this.#options
    const { id } = state.service
    const now = Math.floor(clock.now().getTime() / 1000)
    const days = history.days(id, now, timeZone, historyDays)
    const made = serviceRow(entries.get(state).service, days)
    const row = { html: made, key: keyOf(state), madeMs: clock.monotonicMs() }
    this.#rows.set(id, row)
    return row
  }
}

const keyOf = ({ status, since, rolledUp, service }: ServiceState): string =>
  JSON.stringify([
    status,
    since,
    rolledUp.reason?.message,
    service.name,
    service.description,
    service.deployedAt,
  ])
