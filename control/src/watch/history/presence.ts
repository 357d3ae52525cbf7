/**
 * Whether somebody was watching all the time: two clocks are compared from one moment to the next, and what control kept
 * of its former life with its start. What is missing is a gap.
 */
import type { Clock } from '@quarterdeck/kit'
import type { Gap } from './gaps.ts'

/** Kept in the store. Seconds since 1970. */
export interface Seen {
  /** When control first watched. */
  readonly since: number
  readonly until: number
}

export interface Absence {
  readonly gap: Gap
  /** The clock was set back to this second: what was noted later has to be taken back. */
  readonly backTo: number | null
}

/** A clock that was further ahead was wrong: what follows is not unknown until it gets there. */
const longestTwiceS = 86_400

export class Presence {
  readonly #clock: Clock
  readonly #intervalS: number
  readonly #since: number
  #wallS: number
  #monotonicMs: number
  /** Of the time before this start. */
  readonly before: Absence | null

  /** Until one interval has passed since the start, nobody has looked. */
  constructor(clock: Clock, intervalS: number, kept: Seen | null) {
    this.#clock = clock
    this.#intervalS = intervalS
    this.#wallS = secondsOf(clock)
    this.#monotonicMs = clock.monotonicMs()
    this.#since = Math.min(kept?.since ?? this.#wallS, this.#wallS)
    this.before = kept && this.#absenceSince(kept.until)
  }

  get seen(): Seen {
    return { since: this.#since, until: this.#wallS }
  }

  /** Compares the clocks with the last time. */
  check(): Absence | null {
    const [wallS, monotonicMs] = [secondsOf(this.#clock), this.#clock.monotonicMs()]
    const [lastS, passedS] = [this.#wallS, (monotonicMs - this.#monotonicMs) / 1000]
    this.#monotonicMs = monotonicMs
    if (wallS < lastS - this.#intervalS) {
      this.#wallS = wallS
      const backTo = wallS - Math.ceil(passedS)
      return { gap: { from: backTo, to: Math.min(lastS, backTo + longestTwiceS) }, backTo }
    }
    // A small step back is waited out.
    this.#wallS = Math.max(lastS, wallS)
    const late = wallS - lastS > this.#intervalS || passedS > this.#intervalS
    return late && wallS > lastS ? { gap: { from: lastS, to: wallS }, backTo: null } : null
  }

  #absenceSince(until: number): Absence {
    const [now, looked] = [this.#wallS, this.#wallS + this.#intervalS]
    if (until <= now) return { gap: { from: until, to: looked }, backTo: null }
    return { gap: { from: now, to: Math.max(looked, Math.min(until, now + longestTwiceS)) }, backTo: now }
  }
}

export const secondsOf = (clock: Clock): number => Math.floor(clock.now().getTime() / 1000)
