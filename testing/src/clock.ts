import type { Clock } from '@quarterdeck/kit'

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #wallMs: number
  #monotonicMs = 0

  constructor(start = '2026-01-01T00:00:00Z') {
    this.#wallMs = Date.parse(start)
  }

  now(): Date {
    return new Date(this.#wallMs)
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  advance(ms: number): void {
    this.#wallMs += ms
    this.#monotonicMs += ms
  }

  /** Sets the wall clock forward, or back: no time passes. */
  jump(ms: number): void {
    this.#wallMs += ms
  }
}
