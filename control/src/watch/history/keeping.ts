/** Brings what is noted to the store, in order, as soon as it takes it: while it is away nothing is lost, and it is tried again. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Store } from '#store'
import { Pending } from './pending.ts'
import type { PeriodRow } from './period.ts'

const firstPauseMs = 500
const longestPauseMs = 5000

export interface KeepingOptions {
  readonly store: Store
  readonly events: Events
  readonly log: Logger
}

export class Keeping {
  readonly pending = new Pending()
  #underWay: Pending | undefined
  readonly #options: KeepingOptions
  readonly #ended = new AbortController()
  /** Whoever notes something may be in a transaction of their own, which this is no part of. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #writing: Promise<void> | undefined
  #failing = false

  constructor(options: KeepingOptions) {
    this.#options = options
  }

  /** Call after something was added to what is pending. */
  write(): void {
    this.#writing ??= this.#outside(() => this.#writeAll())
  }

  /** Resolves when everything is on disk, or the store has refused once more. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#writing
    if (this.pending.isEmpty) return
    this.write()
    await this.#writing
  }

  /** Of one service: what may not be in the store yet, oldest first. */
  periodsOf(service: string, periodS: number): PeriodRow[] {
    const rows = [this.#underWay, this.pending].flatMap(pending => [...(pending?.periods.values() ?? [])])
    return rows.filter(row => row.service === service && row.period_s === periodS)
  }

  async #writeAll(): Promise<void> {
    let pauseMs = firstPauseMs
    while (!this.pending.isEmpty) {
      const taken = this.pending.take()
      this.#underWay = taken
      try {
        await this.#options.store.write(transaction => taken.write(transaction, this.#options.events))
        this.#succeeded()
        pauseMs = firstPauseMs
      } catch (error) {
        this.pending.putBack(taken)
        this.#failed(error)
        if (this.#ended.signal.aborted) break
        await wait(pauseMs, undefined, { signal: this.#ended.signal }).catch(() => undefined)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    }
    this.#underWay = undefined
    this.#writing = undefined
  }

  #succeeded(): void {
    if (this.#failing) this.#options.log.info('what was seen of services is being stored again')
    this.#failing = false
  }

  /** Said once: it is tried often. */
  #failed(error: unknown): void {
    const what = this.#ended.signal.aborted ? 'is lost' : 'is kept in memory until it can be'
    if (!this.#failing || this.#ended.signal.aborted) {
      this.#options.log.error({ err: error }, `what was seen of services cannot be stored, and ${what}`)
    }
    this.#failing = true
  }
}
