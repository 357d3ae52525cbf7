/** The watch at work: it looks, keeps the time, and knows whether it is well itself. */
import type { Observer } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Fleet } from '#fleet'
import type { Store } from '#store'
import { History } from './history/index.ts'
import { isStartedAgain, supervise } from './supervisor.ts'
import { Watch } from './watch.ts'

const tickMs = 5000
/** Looks that are this late are late for everybody who relies on them. */
const latestLagMs = 5000

export interface WatchingOptions {
  readonly store: Store
  readonly events: Events
  readonly clock: Clock
  readonly log: Logger
  readonly fleet: Fleet
  readonly intervalS: number
  readonly timeoutS: number
  /** Who scrapes and evaluates. */
  readonly engine: Observer['engine']
}

export class Watching {
  readonly watch: Watch
  readonly history: History
  readonly #clock: Clock
  readonly #log: Logger
  readonly #engine: Observer['engine']
  readonly #supervisor: { stop(): Promise<void> } | undefined
  #ticking: NodeJS.Timeout | undefined
  #tickedMs: number
  #isLate = false

  private constructor(options: WatchingOptions, history: History) {
    const { clock, log, fleet, intervalS, timeoutS, engine } = options
    this.#engine = engine
    this.#clock = clock
    this.#log = log
    this.history = history
    this.watch = new Watch({
      clock,
      log,
      history,
      restarts: fleet.restarts,
      intervalMs: intervalS * 1000,
      timeoutMs: timeoutS * 1000,
    })
    this.#tickedMs = clock.monotonicMs()
    this.#supervisor = isStartedAgain ? supervise(log) : undefined
  }

  static async open(options: WatchingOptions): Promise<Watching> {
    const { store, events, clock, log, intervalS } = options
    return new Watching(options, await History.open({ store, events, clock, log, intervalS }))
  }

  start(): void {
    this.watch.start()
    this.#ticking = setInterval(() => this.#tick(), tickMs)
  }

  /** Is the watcher itself well? */
  observer(): Observer {
    const now = Math.floor(this.#clock.now().getTime() / 1000)
    const isThere = this.#clock.monotonicMs() - this.#tickedMs < 3 * tickMs
    return { ok: isThere && !this.#isLate, engine: this.#engine, ...this.history.observer(now) }
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticking)
    this.watch.stop()
    await this.#supervisor?.stop()
    await this.history.stop()
  }

  #tick(): void {
    this.#tickedMs = this.#clock.monotonicMs()
    this.history.tick()
    this.watch.tick()
    const { lagMs } = this.watch.takeFigures()
    const isLate = lagMs.p99 > latestLagMs
    if (isLate && !this.#isLate) this.#log.warn({ lag_p99_ms: lagMs.p99 }, 'looks are late')
    this.#isLate = isLate
  }
}
