/** When documents are made anew: at once after a change, a few seconds after a look, else not at all. */
import type { Clock } from '@quarterdeck/kit'
import type { Watch } from '#watch'
import type { Notices } from './notices.ts'

/** What was only looked at again is shown so late at most; another status at once. */
const freshForMs = 5000
/** While much changes, making documents takes no more than this part of the time. */
const busyShare = 10
/** Documents of single services are many, and seldom asked for. */
const mostKept = 3000

export class Editions {
  readonly #clock: Clock
  readonly #kept = new Map<string, unknown>()
  #madeMs = Number.NEGATIVE_INFINITY
  #tookMs = 0
  #isLooked = true
  #isChanged = true

  constructor({ watch, notices, clock }: { watch: Watch; notices: Notices; clock: Clock }) {
    this.#clock = clock
    watch.onNews((_service, news) => {
      if (news === 'changed') this.#isChanged = true
      else this.#isLooked = true
    })
    notices.onChange(() => this.change())
  }

  /** From now on something else is told. */
  change(): void {
    this.#isChanged = true
  }

  /** The document of this name, which is made once per edition. */
  kept<T>(name: string, make: () => T): T {
    this.#turn()
    if (this.#kept.has(name)) return this.#kept.get(name) as T
    const startedMs = this.#clock.monotonicMs()
    const made = make()
    this.#tookMs += this.#clock.monotonicMs() - startedMs
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(name, made)
    return made
  }

  #turn(): void {
    const ageMs = this.#clock.monotonicMs() - this.#madeMs
    const isDue = this.#isChanged ? ageMs >= busyShare * this.#tookMs : this.#isLooked && ageMs >= freshForMs
    if (!isDue) return
    this.#kept.clear()
    this.#madeMs = this.#clock.monotonicMs()
    this.#tookMs = 0
    this.#isChanged = false
    this.#isLooked = false
  }
}
