/** The page of metrics that a look brought along, read. */
import {
  formatOf,
  type GoldenSignals,
  goldenSignals,
  KnownLines,
  type Page,
  PageError,
  readPage,
} from '@quarterdeck/metrics-text'
import type { Look } from './look.ts'
import type { Seen } from './probe-connection.ts'
import type { Sighting } from './prober.ts'
import type { Reason } from './verdict.ts'
import type { WatchTarget } from './watch.ts'

export interface Scrape {
  readonly atMs: number
  /** Null: there was none, or none that can be read. */
  readonly page: Page | null
  readonly signals: GoldenSignals | null
  /** Of the page; where none came, of the look. */
  readonly durationMs: number
  readonly reason: Reason | null
}

export class MetricsReader {
  /** Services of one kind have almost all their series in common. */
  readonly #known = new KnownLines()

  /** Undefined: it has no metrics. */
  read({ target, atMs, seen, ...sighting }: Sighting<WatchTarget>, look: Look): Scrape | undefined {
    const { instance } = target
    if (instance.kind !== 'api' || instance.paths.metrics === null) return undefined
    const durationMs = look.metrics?.latencyMs ?? sighting.durationMs
    const missing = { atMs, page: null, signals: null, durationMs }
    const answered = seen[target.paths.indexOf(instance.paths.metrics)]
    if (!answered) return { ...missing, reason: look.live.reason ?? look.cutOff }
    if (!look.metrics) return undefined
    if (!look.metrics.ok) return { ...missing, reason: look.metrics.reason }
    return { ...missing, ...this.#page(answered) }
  }

  #page(seen: Seen): Pick<Scrape, 'page' | 'signals' | 'reason'> {
    const { type, body } = (seen as Extract<Seen, { answer: unknown }>).answer
    try {
      const page = readPage(body, { format: formatOf(type), known: this.#known })
      return { page, signals: goldenSignals(page), reason: null }
    } catch (error) {
      if (!(error instanceof PageError)) throw error
      return { page: null, signals: null, reason: { code: 'body', message: `Its metrics: ${error.message}` } }
    }
  }
}
