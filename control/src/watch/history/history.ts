/**
 * What was seen of all services, kept: changes, roll-ups and the gaps in observation. It is read from memory, and true there
 * at once; the store gets it as soon as it takes it, and a start goes on from what is there.
 */
import type { Day, Observer } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Store } from '#store'
import { lastDays } from '../days.ts'
import { type Figures, overWindows } from '../time-spent.ts'
import { noPercentiles, type Percentiles } from './buckets.ts'
import { Gaps } from './gaps.ts'
import { Keeping } from './keeping.ts'
import { type Kept, readKept } from './kept.ts'
import { type Change, Ledger, startOf } from './ledger.ts'
import { Period, type PeriodFigures } from './period.ts'
import { type Absence, Presence, secondsOf } from './presence.ts'
import { type Look, RollUps } from './roll-ups.ts'
import { readFigures } from './signals.ts'
import { Telling } from './telling.ts'

/** For so long everything is kept; figures reach back 365 days. */
export const keptDays = 400
const dayS = 86_400
/** How often the store is told that somebody watches, at most. */
const seenEveryS = 15
/** Services that are tidied at each tick, so that none waits for ten thousand. */
const tidiedPerTick = 200
const longestReason = 500

export interface HistoryOptions {
  readonly store: Store
  readonly events: Events
  readonly clock: Clock
  readonly log: Logger
  /** Between two looks at a service. A watcher that is later than this was not there. */
  readonly intervalS?: number
}

/** The newest change of a service. */
export interface Newest extends Change {
  /** So many changes in an hour that they are not told one by one: how many. Null: it does not flap, or did so long ago. */
  readonly flapping: number | null
}

interface Watched {
  readonly ledger: Ledger
  rollUps: RollUps | undefined
}

export class History {
  readonly #store: Store
  readonly #clock: Clock
  readonly #gaps: Gaps
  readonly #presence: Presence
  readonly #keeping: Keeping
  readonly #telling = new Telling()
  readonly #services = new Map<string, Watched>()
  #seenStored = 0
  #tidiedDay = 0
  #toTidy: string[] = []
  #sweptPeriod = 0

  private constructor({ store, events, clock, log, intervalS = 15 }: HistoryOptions, kept: Kept) {
    this.#store = store
    this.#clock = clock
    this.#keeping = new Keeping({ store, events, log })
    this.#gaps = new Gaps(intervalS, kept.gaps)
    for (const [service, rows] of kept.rows) {
      this.#services.set(service, { ledger: new Ledger(this.#gaps, rows), rollUps: undefined })
    }
    for (const [service, periods] of kept.periods) this.#watched(service).rollUps = RollUps.of(periods)
    this.#presence = new Presence(clock, intervalS, kept.seen)
    if (this.#presence.before) this.#wasAbsent(this.#presence.before)
    this.#keepSeen()
  }

  static async open(options: HistoryOptions): Promise<History> {
    return new History(options, await readKept(options.store))
  }

  /** Read at once, stored as soon as the store takes it. A change is never noted before the one before it, nor in the future. */
  changed(service: string, change: Change): void {
    this.#look()
    const { ledger } = this.#watched(service)
    const now = secondsOf(this.#clock)
    const before = ledger.last?.status ?? null
    const noted = { ...cleaned(change), at: Math.min(Math.floor(change.at), now) }
    const rows = ledger.note(noted)
    const { pending } = this.#keeping
    const fact =
      before === noted.status
        ? null
        : this.#telling.changed(service, before, noted, now, pending.takesFact(service))
    pending.change(service, rows, fact ? [fact] : [])
    this.#keeping.write()
  }

  /** One look at a service, or at one of its instances. */
  looked(service: string, at: number, look: Look): void {
    this.#look()
    const watched = this.#watched(service)
    watched.rollUps ??= new RollUps()
    this.#keepPeriods(service, watched.rollUps.looked(Math.floor(at), look))
  }

  last(service: string): Newest | undefined {
    const row = this.#services.get(service)?.ledger.last
    if (!row) return undefined
    const { kind, status, reason, mixed } = row
    const at = startOf(row)
    const isRecent = secondsOf(this.#clock) - at < 3600
    return { at, kind, status, reason, flapping: mixed && isRecent ? mixed.changes : null }
  }

  uptime(service: string, now: number): Figures {
    return overWindows(this.#count(service), now)
  }

  days(service: string, now: number, timeZone: string, count: number): Day[] {
    return lastDays(this.#count(service), now, timeZone, count)
  }

  /** Over the last hour. */
  latency(service: string, now: number): Percentiles {
    return this.#services.get(service)?.rollUps?.latency(now) ?? noPercentiles
  }

  /** Oldest first, in the shortest periods that reach back so far. The only thing here that is read from the store. */
  async signals(service: string, from: number, to: number): Promise<PeriodFigures[]> {
    const span = { service, from, to, now: secondsOf(this.#clock) }
    return readFigures(this.#store, span, periodS => {
      const ended = this.#keeping.periodsOf(service, periodS).map(Period.of)
      const underWay = this.#services.get(service)?.rollUps?.underWay(periodS)
      return underWay ? [...ended, underWay] : ended
    })
  }

  observer(now: number): Pick<Observer, 'since' | 'last_gap'> {
    const gap = this.#gaps.last(now)
    const lasts = gap !== undefined && gap.to > now
    return {
      since: lasts ? null : isoOf(gap?.to ?? this.#presence.seen.since),
      last_gap: gap ? { started_at: isoOf(gap.from), ended_at: lasts ? null : isoOf(gap.to) } : null,
    }
  }

  /** To be called every few seconds: whoever does not is away. */
  tick(): void {
    this.#look()
    const now = secondsOf(this.#clock)
    for (const { service, fact } of this.#telling.due(now, id => this.#keeping.pending.takesFact(id))) {
      this.#keeping.pending.change(service, new Map(), [fact])
    }
    if (Math.abs(now - this.#seenStored) >= seenEveryS) this.#keepSeen()
    this.#endPeriods(now)
    this.#tidy(now)
    if (!this.#keeping.pending.isEmpty) this.#keeping.write()
  }

  /** It is not watched any more. What was seen of it is kept for as long as that of others, and goes on if it comes back. */
  forget(service: string): void {
    const watched = this.#services.get(service)
    if (!watched) return
    this.#look()
    const now = secondsOf(this.#clock)
    this.#keepPeriods(service, watched.rollUps?.endedBy(Number.POSITIVE_INFINITY) ?? [])
    watched.rollUps = undefined
    this.#telling.forget(service)
    const unknown: Change = { at: now, kind: 'unknown', status: 'unknown', reason: null }
    this.#keeping.pending.change(service, watched.ledger.note(unknown))
    this.#keeping.write()
  }

  /** Everything that was seen goes to the store, if it is there. */
  async stop(): Promise<void> {
    this.#look()
    for (const [service, { rollUps }] of this.#services) {
      const period = rollUps?.unended()
      if (period) this.#keeping.pending.period(period.row(service))
    }
    this.#keepSeen()
    await this.#keeping.stop()
  }

  #watched(service: string): Watched {
    const watched = this.#services.get(service) ?? { ledger: new Ledger(this.#gaps), rollUps: undefined }
    this.#services.set(service, watched)
    return watched
  }

  #count(service: string): Ledger {
    return this.#services.get(service)?.ledger ?? new Ledger(this.#gaps)
  }

  /** Before anything is noted, so that a gap is known before what comes after it. */
  #look(): void {
    const absence = this.#presence.check()
    if (absence) this.#wasAbsent(absence)
  }

  #wasAbsent({ gap, backTo }: Absence): void {
    const { pending } = this.#keeping
    if (backTo !== null) {
      pending.gap(this.#gaps.cut(backTo))
      for (const [service, { ledger, rollUps }] of this.#services) {
        const rows = ledger.cut(backTo)
        if (rows.size > 0) pending.change(service, rows)
        rollUps?.cut(backTo)
      }
    }
    const { writes, changedFrom } = this.#gaps.add(gap)
    pending.gap(writes)
    for (const { ledger } of this.#services.values()) ledger.recountFrom(changedFrom)
    this.#keepSeen()
  }

  #keepSeen(): void {
    this.#keeping.pending.seen = this.#presence.seen
    this.#seenStored = this.#presence.seen.until
    this.#keeping.write()
  }

  #keepPeriods(service: string, ended: readonly Period[]): void {
    for (const period of ended) this.#keeping.pending.period(period.row(service))
    if (ended.length > 0) this.#keeping.write()
  }

  /** Of those that nobody looks at any more. */
  #endPeriods(now: number): void {
    const period = Math.floor((now - seenEveryS * 2) / 300)
    if (period === this.#sweptPeriod) return
    this.#sweptPeriod = period
    for (const [service, { rollUps }] of this.#services) {
      if (rollUps) this.#keepPeriods(service, rollUps.endedBy(period * 300))
    }
    this.#telling.tidy(now)
  }

  /** Once a day, a few at a time. */
  #tidy(now: number): void {
    const day = Math.floor(now / dayS)
    if (day !== this.#tidiedDay) {
      this.#tidiedDay = day
      this.#toTidy = [...this.#services.keys()]
      this.#keeping.pending.gap(this.#gaps.forgetBefore(now - keptDays * dayS))
    }
    for (const service of this.#toTidy.splice(-tidiedPerTick)) this.#tidyOne(service, now)
  }

  #tidyOne(service: string, now: number): void {
    const watched = this.#services.get(service)
    if (!watched) return
    const { ledger, rollUps } = watched
    const border = now - keptDays * dayS
    const rows = ledger.tidy(now, border)
    if (rows.size > 0) this.#keeping.pending.change(service, rows)
    const { last } = ledger
    // Nothing is known of it in all the time that is kept: it is as if it had never been.
    if (rollUps || (last && (last.kind !== 'unknown' || startOf(last) > border))) return
    this.#services.delete(service)
    this.#keeping.pending.forget(service)
  }
}

const isoOf = (second: number): string => new Date(second * 1000).toISOString()

/** PostgreSQL takes no text with a null character, and what a service says may hold one. */
function cleaned({ reason, ...change }: Change): Change {
  if (!reason) return { ...change, reason: null }
  const message = reason.message.replaceAll('\0', '').slice(0, longestReason)
  return { ...change, reason: { code: reason.code, message } }
}
