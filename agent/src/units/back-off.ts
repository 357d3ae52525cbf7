/** How long to wait before a process that ended is started again: longer each time, until one stays. */

export interface BackOffTimes {
  readonly firstMs: number
  readonly maxMs: number
  /** One that lived so long was well: the next wait is the first again. */
  readonly resetAfterMs: number
}

export const defaultBackOff: BackOffTimes = { firstMs: 1000, maxMs: 60_000, resetAfterMs: 60_000 }

export class BackOff {
  readonly #times: BackOffTimes
  #nextMs: number

  constructor(times: BackOffTimes) {
    this.#times = times
    this.#nextMs = times.firstMs
  }

  /** The wait after a process that lived so long; 0: it could not even be started. */
  next(livedMs: number): number {
    if (livedMs >= this.#times.resetAfterMs) this.reset()
    const waitMs = this.#nextMs
    this.#nextMs = Math.min(waitMs * 2, this.#times.maxMs)
    return waitMs
  }

  reset(): void {
    this.#nextMs = this.#times.firstMs
  }
}
