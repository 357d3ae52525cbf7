/**
 * The series in memory: those that some rule or chart names, as long as the longest of these looks back. Samples come in
 * batches, one per scrape of a target or evaluation of a rule; what was in the batch before and is not in this one has ended.
 */
import { type Labels, metricName } from './labels.ts'
import { type Matcher, matchesAll } from './matcher.ts'
import { Samples } from './samples.ts'

/** How long a sample counts as the current one when no newer comes, and nothing says that the series has ended. */
export const lookbackMs = 5 * 60_000
/** A time that a page gives may lie ahead by so much, as in Prometheus: what is later would shut out all that comes after it. */
const mostAheadMs = 10 * 60_000
/** An evaluation may be of a moment a little before the newest samples. */
const graceMs = 60_000

/** What somebody asks for: which series, and how far back. */
export interface Need {
  /** The same for the same matchers. */
  readonly key: string
  readonly matchers: readonly Matcher[]
  readonly keepMs: number
}

export interface Sample {
  readonly labels: Labels
  readonly value: number
  /** Where the page itself says when; such a series does not end by being left out. */
  readonly atMs?: number | undefined
}

export interface Series {
  readonly labels: Labels
  /** Who gave it first. */
  readonly source: string
  readonly samples: Samples
  /** 0 once it is gone from here. */
  keepMs: number
}

/** What became of a batch. `overLimit` are samples that did not fit into memory. */
export interface Appended {
  stored: number
  notNeeded: number
  outOfOrder: number
  duplicate: number
  overLimit: number
}

export interface Limits {
  readonly series: number
  /** Of one source: none takes the room of all others. */
  readonly seriesPerSource: number
  readonly samplesPerSeries: number
  /** Of all series together, 16 bytes each. */
  readonly samples: number
}

const defaultLimits: Limits = {
  series: 200_000,
  seriesPerSource: 20_000,
  samplesPerSeries: 50_000,
  samples: 10_000_000,
}

interface Batch {
  readonly source: string
  readonly isVital: boolean
  readonly result: Appended
}

interface Asked extends Need {
  series: Series[]
}

export class SeriesStore {
  readonly #limits: Limits
  readonly #all = new Map<string, Series>()
  readonly #byName = new Map<string, Set<Series>>()
  readonly #live = new Map<string, Set<Series>>()
  readonly #ofSource = new Map<string, number>()
  #asked = new Map<string, Asked>()
  #askedByName = new Map<string, Asked[]>()
  #askedOfAnyName: Asked[] = []
  #samples = 0

  constructor(needs: readonly Need[], limits: Partial<Limits> = {}) {
    this.#limits = { ...defaultLimits, ...limits }
    this.need(needs)
  }

  get size(): { series: number; samples: number } {
    return { series: this.#all.size, samples: this.#samples }
  }

  /** Whether a series of this name may be wanted: most of a page is not, and need not be read any further. */
  isAsked(name: string): boolean {
    return this.#askedOfAnyName.length > 0 || this.#askedByName.has(name)
  }

  /** From now on these are kept, and no others; what is there already and still needed stays. */
  need(needs: readonly Need[]): void {
    this.#asked = new Map()
    for (const need of needs) {
      const keepMs = Math.max(need.keepMs, this.#asked.get(need.key)?.keepMs ?? 0)
      this.#asked.set(need.key, { ...need, keepMs, series: [] })
    }
    const asked = [...this.#asked.values()]
    this.#askedByName = Map.groupBy(asked, nameOf) as Map<string, Asked[]>
    this.#askedOfAnyName = asked.filter(one => nameOf(one) === undefined)
    for (const series of this.#all.values()) {
      if (!this.#enlist(series)) this.#remove(series)
    }
  }

  /**
   * One scrape or evaluation, whole. A target that does not answer is an empty batch: all that it gave has then ended. Of two
   * samples of one series at one time the first counts. `isVital`: it is taken however full the memory is.
   */
  append(source: string, atMs: number, batch: Iterable<Sample>, isVital = false): Appended {
    const result: Appended = { stored: 0, notNeeded: 0, outOfOrder: 0, duplicate: 0, overLimit: 0 }
    const before = this.#live.get(source)
    const live = new Set<Series>()
    for (const sample of batch) {
      if (sample.atMs !== undefined && sample.atMs > atMs + mostAheadMs) {
        result.outOfOrder++
        continue
      }
      const series = this.#seriesOf(sample.labels, { source, isVital, result })
      if (!series) continue
      result[this.#store(series, sample.atMs ?? atMs, sample.value)]++
      if (sample.atMs === undefined) live.add(series)
    }
    for (const series of before ?? []) if (!live.has(series)) this.#mark(series, atMs)
    if (live.size > 0) this.#live.set(source, live)
    else this.#live.delete(source)
    return result
  }

  /** The series that a selector names, from a list that is kept up for what was asked for beforehand. */
  select({ key, matchers }: Pick<Need, 'key' | 'matchers'>): readonly Series[] {
    const asked = this.#asked.get(key)
    if (asked) return asked.series
    const name = nameOf({ matchers })
    const among = name === undefined ? this.#all.values() : (this.#byName.get(name) ?? [])
    return [...among].filter(({ labels }) => matchesAll(matchers, labels))
  }

  /** The clock was set by so much: nothing becomes older or younger by that. */
  move(ms: number): void {
    for (const { samples } of this.#all.values()) samples.move(ms)
  }

  /** Gives back the memory of series that nothing has come for since longer than anybody looks back. */
  forget(nowMs: number): void {
    const gone = [...this.#all.values()].filter(
      ({ samples, keepMs }) => samples.newestMs < nowMs - keepMs - graceMs,
    )
    for (const series of gone) this.#remove(series)
    if (gone.length === 0) return
    const isGone = new Set(gone)
    for (const asked of this.#asked.values())
      asked.series = asked.series.filter(series => !isGone.has(series))
  }

  #seriesOf(labels: Labels, batch: Batch): Series | undefined {
    const name = labels.get(metricName)
    if (this.#askedOfAnyName.length === 0 && !this.#askedByName.has(name)) {
      batch.result.notNeeded++
      return undefined
    }
    return this.#all.get(labels.key) ?? this.#begin(labels, name, batch)
  }

  #begin(labels: Labels, name: string, { source, isVital, result }: Batch): Series | undefined {
    const series = { labels, source, samples: new Samples(), keepMs: 0 }
    const refused =
      !isVital && this.#isFull(source) ? 'overLimit' : this.#enlist(series) ? undefined : 'notNeeded'
    if (refused) {
      result[refused]++
      return undefined
    }
    this.#all.set(labels.key, series)
    this.#ofSource.set(source, (this.#ofSource.get(source) ?? 0) + 1)
    const named = this.#byName.get(name)
    if (named) named.add(series)
    else this.#byName.set(name, new Set([series]))
    return series
  }

  #isFull(source: string): boolean {
    const { series, seriesPerSource, samples } = this.#limits
    return (
      this.#all.size >= series ||
      this.#samples >= samples ||
      (this.#ofSource.get(source) ?? 0) >= seriesPerSource
    )
  }

  /** Puts it on the lists of all who ask for it; false if nobody does. */
  #enlist(series: Series): boolean {
    series.keepMs = 0
    for (const asked of this.#askers(series.labels)) {
      if (!matchesAll(asked.matchers, series.labels)) continue
      series.keepMs = Math.max(series.keepMs, asked.keepMs)
      asked.series.push(series)
    }
    return series.keepMs > 0
  }

  #askers(labels: Labels): readonly Asked[] {
    const byName = this.#askedByName.get(labels.get(metricName)) ?? []
    return this.#askedOfAnyName.length === 0 ? byName : [...byName, ...this.#askedOfAnyName]
  }

  #store({ samples, keepMs }: Series, atMs: number, value: number): keyof Appended {
    if (atMs < samples.newestMs) return 'outOfOrder'
    if (atMs === samples.newestMs) return samples.newestIs(value) ? 'stored' : 'duplicate'
    this.#push(samples, atMs, value, keepMs)
    return 'stored'
  }

  #mark({ samples, keepMs }: Series, atMs: number): void {
    if (keepMs === 0) return
    if (atMs > samples.newestMs && !samples.newestIsStale) this.#push(samples, atMs, null, keepMs)
  }

  #push(samples: Samples, atMs: number, value: number | null, keepMs: number): void {
    const before = samples.length
    const isFull = this.#samples >= this.#limits.samples
    const limit = isFull ? Math.max(1, before) : this.#limits.samplesPerSeries
    samples.push(atMs, value, atMs - keepMs - graceMs, limit)
    this.#samples += samples.length - before
  }

  #remove(series: Series): void {
    series.keepMs = 0
    this.#all.delete(series.labels.key)
    this.#samples -= series.samples.length
    const left = this.#ofSource.get(series.source)! - 1
    if (left > 0) this.#ofSource.set(series.source, left)
    else this.#ofSource.delete(series.source)
    const name = series.labels.get(metricName)
    const named = this.#byName.get(name)
    named?.delete(series)
    if (named?.size === 0) this.#byName.delete(name)
  }
}

const nameOf = ({ matchers }: Pick<Need, 'matchers'>): string | undefined =>
  matchers.find(({ label, operator }) => label === metricName && operator === '=')?.value
