/**
 * How many may ask one host at once. Who finds no place waits for one, the longest first. Those that took too long last time
 * never get more than half of the places: a hundred hanging services on a machine must not keep the others there from being seen.
 */

export interface Visitor {
  readonly host: string
  /** It took too long last time. */
  readonly isSlow: boolean
  /** When it should have begun. */
  readonly dueMs: number
}

class Host<V extends Visitor> {
  readonly inside = new Set<V>()
  readonly slowInside = new Set<V>()
  readonly waiting = new Set<V>()
  readonly slowWaiting = new Set<V>()
}

export class HostPlaces<V extends Visitor> {
  readonly #hosts = new Map<string, Host<V>>()
  readonly #places: number
  readonly #slowPlaces: number

  constructor(places: number) {
    this.#places = places
    this.#slowPlaces = Math.max(1, Math.floor(places / 2))
  }

  /** True: it has a place. False: it waits, until `leave` gives it one. */
  enter(visitor: V): boolean {
    const host = this.#hosts.get(visitor.host) ?? new Host<V>()
    this.#hosts.set(visitor.host, host)
    if (this.#isRoom(host, visitor.isSlow)) {
      admit(host, visitor)
      return true
    }
    const queue = visitor.isSlow ? host.slowWaiting : host.waiting
    queue.add(visitor)
    return false
  }

  /** It gives its place back, or waits no longer. Whoever has a place because of that is returned. */
  leave(visitor: V): V | undefined {
    const host = this.#hosts.get(visitor.host)
    if (!host) return undefined
    for (const set of [host.inside, host.slowInside, host.waiting, host.slowWaiting]) set.delete(visitor)
    const next = this.#next(host)
    if (next) admit(host, next)
    else if (host.inside.size === 0) this.#hosts.delete(visitor.host)
    return next
  }

  #isRoom(host: Host<V>, isSlow: boolean): boolean {
    return host.inside.size < this.#places && (!isSlow || host.slowInside.size < this.#slowPlaces)
  }

  #next(host: Host<V>): V | undefined {
    if (!this.#isRoom(host, false)) return undefined
    const [first] = host.waiting
    const [slow] = this.#isRoom(host, true) ? host.slowWaiting : []
    return first && slow ? (slow.dueMs < first.dueMs ? slow : first) : (first ?? slow)
  }
}

function admit<V extends Visitor>(host: Host<V>, visitor: V): void {
  host.waiting.delete(visitor)
  host.slowWaiting.delete(visitor)
  host.inside.add(visitor)
  if (visitor.isSlow) host.slowInside.add(visitor)
}
