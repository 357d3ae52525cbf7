/**
 * What is noted in memory and not yet in the store. A row that changes again before it is written is written once, so this
 * never grows beyond the rows there may be, however long the store is away.
 */
import type { Events, Fact } from '#events'
import { bySystem } from '#http'
import type { Transaction } from '#store'
import type { Gap, GapWrites } from './gaps.ts'
import type { Row, RowWrites } from './ledger.ts'
import type { PeriodRow } from './period.ts'
import type { Seen } from './presence.ts'
import { putChanges, putGap, putPeriods, putSeen, removeChange, removeGap, removeService } from './rows.ts'

/** Of one service: together or not at all. */
interface ServicePending {
  readonly rows: Map<number, Row | null>
  readonly facts: Fact[]
}

/** In one transaction: the store is nobody's for longer than this takes. */
const mostRows = 200
/** Of one service. */
const mostFacts = 8
/** Of all services, about 30 MB. */
export const mostPeriods = 100_000

export class Pending {
  readonly changes = new Map<string, ServicePending>()
  readonly periods = new Map<string, PeriodRow>()
  readonly gaps = new Map<number, Gap | null>()
  readonly gone = new Set<string>()
  seen: Seen | null = null

  get isEmpty(): boolean {
    const sizes = [this.changes, this.periods, this.gaps, this.gone].map(({ size }) => size)
    return this.seen === null && sizes.every(size => size === 0)
  }

  /** While the store is away, listeners are not served a long tale afterwards, but where it stands. */
  takesFact(service: string): boolean {
    return (this.changes.get(service)?.facts.length ?? 0) < mostFacts
  }

  change(service: string, rows: RowWrites, facts: readonly Fact[] = []): void {
    const pending: ServicePending = this.changes.get(service) ?? { rows: new Map(), facts: [] }
    this.changes.set(service, pending)
    for (const [at, row] of rows) pending.rows.set(at, row)
    pending.facts.push(...facts)
  }

  /** While the store is away for hours, only days are kept of what comes in addition. */
  period(row: PeriodRow): void {
    if (this.periods.size >= mostPeriods && row.period_s < 86_400) return
    this.periods.set(`${row.period_s} ${row.slot} ${row.service}`, row)
  }

  gap(writes: GapWrites): void {
    for (const [from, gap] of writes) this.gaps.set(from, gap)
  }

  /** Everything of a service. */
  forget(service: string): void {
    this.changes.delete(service)
    for (const [key, row] of this.periods) if (row.service === service) this.periods.delete(key)
    this.gone.add(service)
  }

  /** Takes out as much as one transaction writes: what is most urgent, first. */
  take(): Pending {
    const taken = new Pending()
    let room = mostRows
    taken.seen = this.seen
    this.seen = null
    room -= move(this.gaps, taken.gaps, room, () => 1)
    for (const service of this.gone) taken.gone.add(service)
    this.gone.clear()
    room -= move(this.changes, taken.changes, room, ({ rows, facts }) => rows.size + facts.length)
    move(this.periods, taken.periods, room, () => 1)
    return taken
  }

  /** What could not be written comes back behind what is newer. */
  putBack(taken: Pending): void {
    this.seen ??= taken.seen
    putBack(this.gaps, taken.gaps)
    putBack(this.periods, taken.periods)
    for (const [service, { rows, facts }] of taken.changes) {
      if (this.gone.has(service)) continue
      const newer = this.changes.get(service)
      if (newer) {
        putBack(newer.rows, rows)
        newer.facts.unshift(...facts)
      } else this.changes.set(service, { rows, facts })
    }
    for (const service of taken.gone) this.gone.add(service)
  }

  async write(transaction: Transaction, events: Events): Promise<void> {
    for (const service of this.gone) await removeService(transaction, service)
    await this.#writeChanges(transaction)
    if (this.periods.size > 0) await putPeriods(transaction, [...this.periods.values()])
    for (const [from, gap] of this.gaps) {
      await (gap ? putGap(transaction, gap) : removeGap(transaction, from))
    }
    if (this.seen) await putSeen(transaction, this.seen)
    for (const { facts } of this.changes.values()) {
      for (const fact of facts) await events.append(transaction, bySystem, fact)
    }
  }

  async #writeChanges(transaction: Transaction): Promise<void> {
    const changed: [string, Row][] = []
    for (const [service, { rows }] of this.changes) {
      for (const [at, row] of rows) {
        if (row) changed.push([service, row])
        else await removeChange(transaction, service, at)
      }
    }
    if (changed.length > 0) await putChanges(transaction, changed)
  }
}

/** At least one, so that it goes on. */
function move<K, V>(from: Map<K, V>, to: Map<K, V>, room: number, sizeOf: (value: V) => number): number {
  let moved = 0
  for (const [key, value] of from) {
    if (moved > 0 && moved + sizeOf(value) > room) break
    if (room <= 0) break
    from.delete(key)
    to.set(key, value)
    moved += sizeOf(value)
  }
  return moved
}

function putBack<K, V>(newer: Map<K, V>, older: ReadonlyMap<K, V>): void {
  for (const [key, value] of older) if (!newer.has(key)) newer.set(key, value)
}
