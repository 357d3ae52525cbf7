/** Takes scrapes in: the samples of a page with the labels of its target, and what every scrape tells about itself. */
import type { Page, Sample as PageSample, Series as PageSeries } from '@quarterdeck/metrics-text'
import { type Labels, labelsOf, metricName } from './labels.ts'
import { needOfName } from './needs.ts'
import type { Need, Sample, SeriesStore } from './series.ts'
import type { Target } from './target.ts'

export interface Taken {
  readonly atMs: number
  readonly durationMs: number
  /** Null: there was none that could be read. */
  readonly page: Page | null
  /** Empty when all went well. */
  readonly error: string
}

const reported = ['up', 'scrape_duration_seconds', 'scrape_samples_scraped'] as const

/** What can be asked for whatever the rules say: that of every job the metrics server uses (interface, part 2), and its own. */
export const reportedNeeds: readonly Need[] = [
  ...reported,
  'process_resident_memory_bytes',
  ...['ALERTS', 'service_live', 'service_ready', 'service_info', 'service_drift'],
].map(needOfName)

export class Intake {
  readonly #store: SeriesStore
  readonly #known = new WeakMap<Target, WeakMap<PageSeries, Labels>>()

  constructor(store: SeriesStore) {
    this.#store = store
  }

  /** How many samples of the page there was no room for. */
  take(target: Target, { atMs, durationMs, page, error }: Taken): number {
    // Of two scrapes that come in the wrong order the later one has already been told.
    if (target.last && atMs < target.last.atMs) return 0
    target.last = { atMs, durationMs, error }
    const { overLimit } = this.#store.append(
      `page ${target.key}`,
      atMs,
      page ? this.#samples(target, page) : [],
    )
    const values = [page ? 1 : 0, durationMs / 1000, page?.samples.length ?? 0]
    this.#store.append(
      `scrape ${target.key}`,
      atMs,
      reported.map((name, nth) => ({
        labels: target.labels.with({ [metricName]: name }),
        value: values[nth]!,
      })),
      true,
    )
    return overLimit
  }

  /** It is a target no more: what it told has ended. */
  end(target: Target, atMs: number): void {
    for (const source of ['page', 'scrape']) this.#store.append(`${source} ${target.key}`, atMs, [])
  }

  *#samples(target: Target, { samples }: Page): Iterable<Sample> {
    const known = this.#known.get(target) ?? new WeakMap<PageSeries, Labels>()
    this.#known.set(target, known)
    for (const sample of samples) {
      if (!this.#store.isAsked(sample.series.name)) continue
      const labels = known.get(sample.series) ?? labelled(sample, target.labels)
      known.set(sample.series, labels)
      yield { labels, value: sample.value, atMs: wholeMs(sample.timestampMs) }
    }
  }
}

const wholeMs = (ms: number | undefined) => (ms === undefined ? undefined : Math.trunc(ms))

/** Where both have a label, it is the target's, as Prometheus has it. */
function labelled({ series }: PageSample, target: Labels): Labels {
  const own = target.record()
  const theirs = [...series.labels].map(([name, value]) => {
    let free = name
    while (Object.hasOwn(own, free)) free = `exported_${free}`
    return [free, value]
  })
  return labelsOf({ ...Object.fromEntries(theirs), ...own, [metricName]: series.name })
}
