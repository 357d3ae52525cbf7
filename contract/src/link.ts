/**
 * What carries messages between control and an agent: text, in order, each way, until it closes. What was sent shortly
 * before may then be lost.
 */
export interface Link {
  send(text: string): void
  /** One listener; what came before it is kept for it. */
  onMessage(listener: (text: string) => void): void
  onClose(listener: () => void): void
  close(): void
}

/** Two ends in one process. Messages are text and come in a later turn, as they would over a network. */
export function linkPair(): [Link, Link] {
  const [a, b] = [new End(), new End()]
  a.other = b
  b.other = a
  return [a, b]
}

class End implements Link {
  other: End | undefined
  #listener: ((text: string) => void) | undefined
  #waiting: string[] = []
  #closed = false
  #onClose: (() => void)[] = []

  send(text: string): void {
    const { other } = this
    if (!this.#closed) setImmediate(() => other?.take(text))
  }

  take(text: string): void {
    if (this.#closed) return
    if (this.#listener) this.#listener(text)
    else this.#waiting.push(text)
  }

  onMessage(listener: (text: string) => void): void {
    this.#listener = listener
    for (const text of this.#waiting.splice(0)) listener(text)
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const listener of this.#onClose) setImmediate(listener)
    this.other?.close()
  }
}
