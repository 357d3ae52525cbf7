/** Does one thing after the other, in the order of asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()
  #open = 0

  get isBusy(): boolean {
    return this.#open > 0
  }

  /** What fails tells who asked for it, and does not keep the next one waiting. */
  take<T>(work: () => Promise<T>): Promise<T> {
    this.#open += 1
    const done = this.#last.then(work).finally(() => {
      this.#open -= 1
    })
    this.#last = done.catch(() => undefined)
    return done
  }
}
