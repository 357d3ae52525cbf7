/**
 * When each target is looked at: at fixed times with an offset of its own, so that the looks are spread evenly, stay where
 * they are over restarts, and one that takes long delays no other. Ten thousand targets share one timer.
 */
import { hash } from 'node:crypto'

/** Targets that fall into the same slot are due together. */
const slotMs = 20

interface Entry<T> {
  readonly target: T
  readonly intervalSlots: number
  /** The next slot that it is due in, counted since 1970. */
  due: number
}

export interface Due<T> {
  readonly target: T
  /** How much later than it should have been. */
  readonly lagMs: number
}

export class Schedule<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** Who is due in a slot, by id. */
  readonly #slots = new Map<number, Set<string>>()
  #next = 0

  /** `nowMs` is the time of day that the schedule begins with. */
  constructor(nowMs: number) {
    this.#next = Math.floor(nowMs / slotMs)
  }

  get size(): number {
    return this.#entries.size
  }

  /** A target that is there already is replaced, and keeps its times if its interval is the same. */
  set(id: string, target: T, intervalMs: number): void {
    const intervalSlots = Math.max(1, Math.round(intervalMs / slotMs))
    const before = this.#entries.get(id)
    const keeps = before?.intervalSlots === intervalSlots
    const due = keeps ? before.due : this.#firstAfter(offsetOf(id, intervalSlots), intervalSlots)
    if (before && !keeps) this.#leave(id, before.due)
    this.#entries.set(id, { target, intervalSlots, due })
    if (!keeps) this.#enter(id, due)
  }

  remove(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#leave(id, entry.due)
  }

  /** Everybody who is due by now, in order. After a long pause each is due once: what was missed is missed. */
  due(nowMs: number): Due<T>[] {
    const now = Math.floor(nowMs / slotMs)
    const slots = now - this.#next > this.#slots.size ? this.#occupied(now) : range(this.#next, now)
    const due = slots.flatMap(slot => this.#take(slot, now, nowMs))
    this.#next = Math.max(this.#next, now + 1)
    return due
  }

  /** How long until somebody may be due. */
  waitMs(nowMs: number): number {
    return Math.max(1, this.#next * slotMs - nowMs)
  }

  #take(slot: number, now: number, nowMs: number): Due<T>[] {
    const ids = this.#slots.get(slot)
    if (!ids) return []
    this.#slots.delete(slot)
    return [...ids].map(id => {
      const entry = this.#entries.get(id)!
      const missed = Math.floor((now - slot) / entry.intervalSlots)
      entry.due = slot + (missed + 1) * entry.intervalSlots
      this.#enter(id, entry.due)
      return { target: entry.target, lagMs: nowMs - (slot + missed * entry.intervalSlots) * slotMs }
    })
  }

  /** For when time has jumped: then there are fewer slots with somebody in them than slots. */
  #occupied(now: number): number[] {
    return [...this.#slots.keys()].filter(slot => slot <= now).sort((a, b) => a - b)
  }

  #firstAfter(offset: number, intervalSlots: number): number {
    const turns = Math.ceil((this.#next - offset) / intervalSlots)
    return turns * intervalSlots + offset
  }

  #enter(id: string, slot: number): void {
    const ids = this.#slots.get(slot)
    if (ids) ids.add(id)
    else this.#slots.set(slot, new Set([id]))
  }

  #leave(id: string, slot: number): void {
    const ids = this.#slots.get(slot)
    ids?.delete(id)
    if (ids?.size === 0) this.#slots.delete(slot)
  }
}

/** The same in every life of the process, and spread evenly over the interval. */
const offsetOf = (id: string, intervalSlots: number): number =>
  Number.parseInt(hash('sha1', id).slice(0, 12), 16) % intervalSlots

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
