/** How the looks of a prober go: how late they begin, how many there were, how many were left out and why. */
import { createHistogram } from 'node:perf_hooks'

export interface ProberFigures {
  readonly targets: number
  /** How much later than they should looks began. */
  readonly lagMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Looks that were done, whatever they saw. */
  readonly done: number
  /** Looks that were due while the one before was still under way, or waited for a place. */
  readonly leftOut: number
  /** Looks that this machine could not take, such as without open files to spare. */
  readonly ours: number
  /** Looks that were done, but whoever was told of them failed. */
  readonly lost: number
}

/** Above this all is the same: late beyond any use. */
const longestMs = 3_600_000

export class ProberStatistics {
  done = 0
  leftOut = 0
  ours = 0
  lost = 0
  /** In microseconds, plus one: it counts from one. */
  readonly #lag = createHistogram({ lowest: 1, highest: longestMs * 1000 + 1, figures: 3 })

  began(lagMs: number): void {
    this.#lag.record(1 + Math.round(Math.min(Math.max(0, lagMs), longestMs) * 1000))
  }

  /** All since the last time. */
  take(): Omit<ProberFigures, 'targets'> {
    const { done, leftOut, ours, lost } = this
    const lag = this.#lag
    const lagMs =
      lag.count === 0
        ? { p50: 0, p99: 0, max: 0 }
        : { p50: ms(lag.percentile(50)), p99: ms(lag.percentile(99)), max: ms(lag.max) }
    lag.reset()
    this.done = this.leftOut = this.ours = this.lost = 0
    return { lagMs, done, leftOut, ours, lost }
  }
}

const ms = (recorded: number): number => (recorded - 1) / 1000
