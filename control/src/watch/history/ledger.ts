/**
 * The changes of one service, in the order of time, and the time counted from them. However often it changes, it has few
 * rows: what is too many for an hour or an old day is one row that knows the seconds of each kind and how many changes they were.
 */
import type { ServiceStatus } from '@quarterdeck/contract'
import type { Known, SpentKind, TimeCount } from '../time-spent.ts'
import type { Reason } from '../verdict.ts'
import type { Gaps } from './gaps.ts'

export interface State {
  readonly kind: SpentKind
  readonly status: ServiceStatus
  readonly reason: Reason | null
}

export interface Change extends State {
  /** Seconds since 1970. */
  readonly at: number
}

/** From `at` on, until the next row. */
export interface Row extends Change {
  /** Several changes: up to `until` it was now this, now that; only from then on it is as the row says. */
  readonly mixed: Mixed | null
}

/** Without the gaps in observation. */
export interface Mixed extends Known {
  readonly until: number
  readonly changes: number
}

/** What is to be written: a row that is new or different, or null for one that is gone, by its second. */
export type RowWrites = Map<number, Row | null>

type Spending = { -readonly [K in keyof Known]: Known[K] }

const hourSeconds = 3600
const daySeconds = 86_400
export const mostRowsPerHour = 4
export const mostRowsPerOldDay = 3
/** Days before the last so many are old. */
export const oldAfterDays = 7
const kinds = ['up', 'degraded', 'down', 'maintenance'] as const

export class Ledger implements TimeCount {
  readonly #gaps: Gaps
  readonly #rows: Row[]
  /** Known seconds of each kind before each row, one after the other; those of the last rows may not be counted yet. */
  #sums: number[] = []

  constructor(gaps: Gaps, rows: readonly Row[] = []) {
    this.#gaps = gaps
    this.#rows = [...rows]
  }

  get rows(): readonly Row[] {
    return this.#rows
  }

  get last(): Row | undefined {
    return this.#rows.at(-1)
  }

  /** Never before what was noted last: clocks are set back, time is not. */
  note({ at, kind, status, reason }: Change): RowWrites {
    const last = this.last
    if (last && last.kind === kind && last.status === status) return this.#explain(last, reason)
    if (last && at <= startOf(last)) return this.#replace(last, { kind, status, reason })
    this.#rows.push({ at, kind, status, reason, mixed: null })
    const hour = at - (at % hourSeconds)
    let first = this.#rows.length - 1
    while (first > 0 && this.#rows[first - 1]!.at >= hour) first--
    const inHour = this.#rows.length - first
    const isMixed = inHour > 1 && this.#rows[first]!.mixed !== null
    if (inHour > mostRowsPerHour || isMixed) return this.#merge(first, this.#rows.length - 1)
    return new Map([[at, this.last!]])
  }

  upTo(second: number): Known {
    const index = this.#firstAfter(second) - 1
    this.#count(index)
    const known = this.#before(Math.max(0, index))
    if (index >= 0) this.#spend(known, this.#rows[index]!, second)
    return known
  }

  /** Makes one row of each old day that has many, and drops what ended before a second. */
  tidy(now: number, forgetBefore: number): RowWrites {
    const today = now - (now % daySeconds)
    const writes = this.#forgetBefore(forgetBefore)
    for (let end = this.#firstAfter(today - oldAfterDays * daySeconds - 1) - 1; end > 0; ) {
      const day = this.#rows[end]!.at - (this.#rows[end]!.at % daySeconds)
      let first = end
      while (first > 0 && this.#rows[first - 1]!.at >= day) first--
      if (end - first >= mostRowsPerOldDay)
        for (const [at, row] of this.#merge(first, end)) writes.set(at, row)
      end = first - 1
    }
    return writes
  }

  /** Takes back what lies after a second, because the clock that told it was wrong. It is from then on what it is now. */
  cut(second: number): RowWrites {
    const last = this.last
    if (!last || startOf(last) <= second) return new Map()
    const writes: RowWrites = new Map()
    while (this.#rows.length > 0 && this.last!.at > second) writes.set(this.#rows.pop()!.at, null)
    this.recountFrom(second)
    const left = this.last
    if (left?.mixed && left.mixed.until > second) {
      const shorter = { ...left, mixed: shorten(left.at, left.mixed, second) }
      for (const [at, row] of this.#put(shorter)) writes.set(at, row)
    }
    const current = { at: second, kind: last.kind, status: last.status, reason: last.reason }
    for (const [at, row] of this.note(current)) writes.set(at, row)
    return writes
  }

  /** When it is known later that nobody watched. */
  recountFrom(second: number): void {
    const counted = this.#firstAfter(second) * kinds.length
    if (this.#sums.length > counted) this.#sums.length = counted
  }

  #explain(last: Row, reason: Reason | null): RowWrites {
    const isSame = last.reason?.code === reason?.code && last.reason?.message === reason?.message
    return isSame ? new Map() : this.#put({ ...last, reason })
  }

  #put(row: Row): RowWrites {
    this.#rows[this.#rows.length - 1] = row
    return new Map([[row.at, row]])
  }

  #replace(last: Row, state: State): RowWrites {
    const { mixed } = last
    return this.#put({ ...last, ...state, mixed: mixed && { ...mixed, changes: mixed.changes + 1 } })
  }

  #merge(first: number, end: number): RowWrites {
    const { at } = this.#rows[first]!
    const last = this.#rows[end]!
    const until = startOf(last)
    const [before, after] = [this.upTo(at), this.upTo(until)]
    const merged = this.#rows.slice(first, end + 1)
    const changes = merged.reduce((sum, { mixed }) => sum + (mixed?.changes ?? 1), 0)
    const mixed = { until, changes, up: 0, degraded: 0, down: 0, maintenance: 0 }
    for (const kind of kinds) mixed[kind] = after[kind] - before[kind]
    const row: Row = { at, kind: last.kind, status: last.status, reason: last.reason, mixed }
    this.#rows.splice(first, merged.length, row)
    this.#sums.splice((first + 1) * kinds.length, (merged.length - 1) * kinds.length)
    const writes: RowWrites = new Map(merged.map(({ at }) => [at, null]))
    return writes.set(at, row)
  }

  #forgetBefore(second: number): RowWrites {
    const gone = Math.max(0, this.#firstAfter(second) - 1)
    // Counts are only ever subtracted from one another.
    this.#sums.splice(0, gone * kinds.length)
    return new Map(this.#rows.splice(0, gone).map(({ at }) => [at, null]))
  }

  #count(index: number): void {
    const counted = this.#sums.length / kinds.length
    if (counted > index) return
    for (let row = counted; row <= index; row++) {
      const known = this.#before(Math.max(0, row - 1))
      if (row > 0) this.#spend(known, this.#rows[row - 1]!, this.#rows[row]!.at)
      this.#sums.push(known.up, known.degraded, known.down, known.maintenance)
    }
    // Just large enough: there are as many of these as services.
    this.#sums = this.#sums.slice()
  }

  #before(index: number): Spending {
    const first = index * kinds.length
    return {
      up: this.#sums[first] ?? 0,
      degraded: this.#sums[first + 1] ?? 0,
      down: this.#sums[first + 2] ?? 0,
      maintenance: this.#sums[first + 3] ?? 0,
    }
  }

  /** Adds what of a row's time lies before a second. Of what is mixed, each kind gets its share evenly. */
  #spend(known: Spending, { at, kind, mixed }: Row, second: number): void {
    const start = mixed ? mixed.until : at
    if (mixed) {
      const share = second >= start ? 1 : (second - at) / (start - at)
      for (const each of kinds) known[each] += mixed[each] * share
    }
    if (second > start && kind !== 'unknown') {
      known[kind] += second - start - this.#gaps.between(start, second)
    }
  }

  /** Found by halves, because a year of changes is long. */
  #firstAfter(second: number): number {
    let [low, high] = [0, this.#rows.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#rows[middle]!.at <= second) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** When it became what the row says it is. */
export const startOf = ({ at, mixed }: Row): number => mixed?.until ?? at

function shorten(at: number, mixed: Mixed, until: number): Mixed | null {
  if (until <= at) return null
  const share = (until - at) / (mixed.until - at)
  const shorter = { ...mixed, until }
  for (const kind of kinds) shorter[kind] = Math.floor(mixed[kind] * share)
  return shorter
}
