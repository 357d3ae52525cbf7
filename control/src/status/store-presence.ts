/** Whether the store answers, asked now and then, so that documents can say so without asking. */
import type { Store } from '#store'

const everyMs = 5000
const limitMs = 3000

export class StorePresence {
  readonly #store: Pick<Store, 'ping'>
  readonly #onChange: () => void
  #isThere = true
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(store: Pick<Store, 'ping'>, onChange: () => void) {
    this.#store = store
    this.#onChange = onChange
  }

  get isThere(): boolean {
    return this.#isThere
  }

  start(): void {
    this.#timer = setInterval(() => void this.ask(), everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const late = setTimeout(() => this.#set(false), limitMs)
    await Promise.resolve()
      .then(() => this.#store.ping())
      .then(
        () => this.#set(true),
        () => this.#set(false),
      )
    clearTimeout(late)
    this.#isAsking = false
  }

  #set(isThere: boolean): void {
    if (isThere === this.#isThere) return
    this.#isThere = isThere
    this.#onChange()
  }
}
