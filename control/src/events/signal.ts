/** Wakes everyone who waits. */
export class Signal {
  readonly #waiting = new Set<() => void>()

  raise(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves at the next raise, or when `ended`, or after the limit. */
  wait(ended: AbortSignal, limitMs?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = limitMs === undefined ? undefined : setTimeout(wake, limitMs)
    const waiting = this.#waiting
    function wake() {
      clearTimeout(timer)
      ended.removeEventListener('abort', wake)
      waiting.delete(wake)
      resolve()
    }
    waiting.add(wake)
    ended.addEventListener('abort', wake)
    if (ended.aborted) wake()
    return promise
  }
}
