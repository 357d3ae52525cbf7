/**
 * Notices when somebody sets the clock. What the engine remembers has its times from that clock: they are moved along then, so that
 * neither a sample nor the two minutes of an alert become older or younger by it.
 */
import type { Clock } from '@quarterdeck/kit'

/** A clock that is off by less is only being adjusted. */
const smallestStepMs = 1000

export class ClockSteps {
  readonly #clock: Clock
  #wallMs: number
  #monotonicMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#wallMs = clock.now().getTime()
    this.#monotonicMs = clock.monotonicMs()
  }

  /** By how much it was set since this was last asked; 0: it was not. */
  take(): number {
    const [wallMs, monotonicMs] = [this.#clock.now().getTime(), this.#clock.monotonicMs()]
    const steppedMs = Math.round(wallMs - this.#wallMs - (monotonicMs - this.#monotonicMs))
    // Small ones are left to add up: a clock that is set by half a second each minute is off in the end, too.
    if (Math.abs(steppedMs) < smallestStepMs) return 0
    this.#wallMs = wallMs
    this.#monotonicMs = monotonicMs
    return steppedMs
  }
}
