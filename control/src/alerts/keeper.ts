/** Keeps alerts in time: what is due is looked at, silent sources are found, and a clock that is set does no harm. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { Signal } from '#events'
import type { Store, Transaction } from '#store'
import type { Heartbeats } from './heartbeats.ts'
import { afterAbsence, afterJump, jumpMs, loseSilent } from './leases.ts'
import { lookAtDue } from './look.ts'
import type { Problems } from './problems.ts'
import type { AlertSettings, Surroundings } from './settings.ts'

/** Also where nothing is due: the clock may have been set. */
const longestRestMs = 5000
const failedMs = 1000
/** Without a pass for so long, alerts are not being kept. */
const wellMs = 60_000

interface Times {
  wallMs: number
  monotonicMs: number
}

export interface KeeperOptions {
  store: Store
  clock: Clock
  log: Logger
  settings: AlertSettings
  surroundings: Surroundings
  problems: Problems
  heartbeats: Heartbeats
  /** Something may be to be sent. */
  onLooked(): void
}

export class Keeper {
  readonly #options: KeeperOptions
  readonly #signal = new Signal()
  #last: Times

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#last = this.#times()
  }

  wake(): void {
    this.#signal.raise()
  }

  get isWell(): boolean {
    return this.#options.clock.monotonicMs() - this.#last.monotonicMs < wellMs
  }

  /** Until `ended`. */
  async run(ended: AbortSignal): Promise<void> {
    await this.#return()
    while (!ended.aborted) {
      const rest = new AbortController()
      const woken = this.#signal.wait(AbortSignal.any([ended, rest.signal]))
      try {
        await this.pass()
        const timer = setTimeout(() => rest.abort(), await this.#restMs())
        await woken
        clearTimeout(timer)
      } catch (error) {
        this.#options.log.error({ err: error }, 'alerts could not be looked at; trying again')
        await wait(failedMs, undefined, { signal: ended }).catch(() => undefined)
        rest.abort()
      }
    }
  }

  /** Nobody is taken to be silent for the time in which nobody listened. */
  async #return(): Promise<void> {
    const { store, clock, settings, heartbeats, log } = this.#options
    const now = clock.now()
    await store
      .write(async transaction => {
        await afterAbsence(transaction, now, settings.leaseMs)
        await heartbeats.afterAbsence(transaction, now)
      })
      .catch(error =>
        log.warn({ err: error }, 'sources of alerts may seem silent for the time of the restart'),
      )
  }

  /** Everything that is due now. */
  async pass(): Promise<void> {
    const { store, settings, surroundings, problems, heartbeats, onLooked } = this.#options
    const times = this.#times()
    // The same all along: whether it was set is known of this time alone.
    const now = new Date(times.wallMs)
    let jumped = this.#jumped(times)
    for (let more = true; more; ) {
      if (!jumped && !(await this.#isDue(now))) break
      const isSet = jumped
      more = await store.write(async transaction => {
        if (isSet) {
          await afterJump(transaction, now, settings.leaseMs)
          await heartbeats.afterJump(transaction, now)
        }
        await heartbeats.missed(transaction, now)
        const lost = await loseSilent(transaction, problems, now)
        const looked = await lookAtDue(transaction, { settings, surroundings, now })
        return lost.more || looked.more
      })
      jumped = false
      onLooked()
    }
    // As it was before: what is set meanwhile is noticed the next time.
    this.#last = times
  }

  #jumped({ wallMs, monotonicMs }: Times): boolean {
    const offMs = wallMs - this.#last.wallMs - (monotonicMs - this.#last.monotonicMs)
    if (Math.abs(offMs) < jumpMs) return false
    this.#options.log.warn(
      { seconds: Math.round(offMs / 1000) },
      'the clock was set: sources of alerts get their time anew',
    )
    return true
  }

  #times(): Times {
    const { clock } = this.#options
    return { wallMs: clock.now().getTime(), monotonicMs: clock.monotonicMs() }
  }

  async #isDue(now: Date): Promise<boolean> {
    const due = await this.#options.store.read(earliest)
    return due !== null && due <= now.toISOString()
  }

  async #restMs(): Promise<number> {
    const due = await this.#options.store.read(earliest)
    if (due === null) return longestRestMs
    return Math.min(Math.max(Date.parse(due) - this.#options.clock.now().getTime(), 0), longestRestMs)
  }
}

/** When something is next due; null: nothing is. */
async function earliest(transaction: Transaction): Promise<string | null> {
  const problem = await transaction
    .selectFrom('problem')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .executeTakeFirst()
  const lease = await transaction
    .selectFrom('alert')
    .select(({ fn }) => fn.min('lease_until').as('at'))
    .where('state', '=', 'firing')
    .executeTakeFirst()
  const heartbeat = await transaction
    .selectFrom('heartbeat')
    .select(({ fn }) => fn.min('due_at').as('at'))
    .where('missing', '=', 0)
    .executeTakeFirst()
  const times = [problem?.at, lease?.at, heartbeat?.at].flatMap(at => at ?? [])
  return times.toSorted()[0] ?? null
}
