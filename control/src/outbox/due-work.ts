/**
 * Work for others that is due: claimed under a lease, done outside of any transaction, several at a time. What is due is
 * on disk with its time, so a restart loses nothing; a lease that ends belonged to somebody who is gone.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { Signal } from '#events'
import type { Store, Transaction } from '#store'

const failedMs = 1000
/** How often to look on its own, where other processes write too. */
const lookMs = 5000
const idleMs = 600_000

export interface DueWorkOptions<Claimed> {
  store: Store
  clock: Clock
  log: Logger
  /** For the log: what could not be looked at. */
  what: string
  atOnce: number
  /** When something may next be claimed, RFC 3339; a time that has passed means now; null: there is nothing. */
  nextDue(transaction: Transaction, now: string): Promise<string | null>
  /** Takes what is due under a lease. There is one writer at a time: nobody else claims the same. */
  claim(transaction: Transaction, limit: number): Promise<Claimed[]>
  /** Does it and settles it. What it throws is logged; the lease then ends by itself. */
  work(claimed: Claimed, ended: AbortSignal): Promise<void>
}

export class DueWork<Claimed> {
  readonly #options: DueWorkOptions<Claimed>
  readonly #signal = new Signal()
  readonly #busy = new Set<Promise<void>>()

  constructor(options: DueWorkOptions<Claimed>) {
    this.#options = options
  }

  /** Something may be due. */
  wake(): void {
    this.#signal.raise()
  }

  /** Until `ended`, and what was begun then has come to its end. */
  async run(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      try {
        await this.#doDue(ended)
      } catch (error) {
        const { log, what } = this.#options
        log.error({ err: error }, `${what} could not be looked at; trying again`)
        await wait(failedMs, undefined, { signal: ended }).catch(() => undefined)
      }
    }
    await Promise.all(this.#busy)
  }

  async #doDue(ended: AbortSignal): Promise<void> {
    const rest = new AbortController()
    const woken = this.#signal.wait(AbortSignal.any([ended, rest.signal]))
    const timer = setTimeout(() => rest.abort(), await this.#untilDueMs())
    await woken
    clearTimeout(timer)
    const { store, atOnce, claim } = this.#options
    const free = atOnce - this.#busy.size
    if (ended.aborted || free <= 0) return
    const claimed = await store.write(transaction => claim(transaction, free))
    for (const one of claimed) this.#begin(one, ended)
  }

  /** Whoever ends makes room, and may leave more to do. */
  #begin(claimed: Claimed, ended: AbortSignal): void {
    const { log, what, work } = this.#options
    const done = work(claimed, ended)
      .catch(error => log.error({ err: error }, `${what} failed and will be tried again`))
      .finally(() => {
        this.#busy.delete(done)
        this.wake()
      })
    this.#busy.add(done)
  }

  async #untilDueMs(): Promise<number> {
    const { store, clock, atOnce, nextDue } = this.#options
    const most = store.flags.concurrent_writers ? lookMs : idleMs
    if (this.#busy.size >= atOnce) return most
    const now = clock.now()
    const due = await store.read(transaction => nextDue(transaction, now.toISOString()))
    return due === null ? most : Math.min(Math.max(Date.parse(due) - now.getTime(), 0), most)
  }
}

/** Twice as long each time. */
export const backOffMs = (tries: number, firstMs: number, longestMs: number): number =>
  Math.min(firstMs * 2 ** Math.min(tries, 30), longestMs)
