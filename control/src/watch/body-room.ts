/**
 * How much of long answers is in memory at once, of all that are being read. One answer has its limit; a hundred servers that each send
 * almost that much, and then hang, would take a hundred times as much. Who holds the most gives up first, so that nobody else is
 * kept from being seen.
 */

export const mostHeld = 64 * 1024 * 1024
/** What is shorter is not counted: that is every probe, and almost every page of metrics. */
export const notCounted = 64 * 1024

export interface Holder {
  /** It lets go of everything. */
  giveUp(): void
}

export class BodyRoom {
  readonly #most: number
  readonly #held = new Map<Holder, number>()
  #total = 0

  constructor(most = mostHeld) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /** It holds so much more. False: it is the one that has to give up. */
  hold(holder: Holder, bytes: number): boolean {
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + bytes)
    this.#total += bytes
    while (this.#total > this.#most) {
      const largest = this.#largest()
      if (largest === holder) return false
      this.release(largest)
      largest.giveUp()
    }
    return true
  }

  release(holder: Holder): void {
    this.#total -= this.#held.get(holder) ?? 0
    this.#held.delete(holder)
  }

  #largest(): Holder {
    return [...this.#held].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
  }
}

/** One for all connections of this process. */
export const bodyRoom = new BodyRoom()
