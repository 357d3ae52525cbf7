/** What is scraped: one address of a job, with how its last scrape went. */
import { hostname } from 'node:os'
import type { ActiveTarget, ScrapeConfig } from '@quarterdeck/contract'
import { type Labels, labelsOf } from './labels.ts'
import { durationMs, durationText } from './promql/literal.ts'

/** As Prometheus writes a time that never was. */
export const never = '0001-01-01T00:00:00Z'

export class Target {
  readonly job: string
  readonly url: string
  readonly labels: Labels
  readonly interval: string
  readonly timeout: string
  readonly #discovered: Readonly<Record<string, string>>
  /** Null before the first scrape. */
  last: { readonly atMs: number; readonly durationMs: number; readonly error: string } | null = null

  constructor(job: string, discovered: Readonly<Record<string, string>>) {
    const { __scheme__, __address__, __metrics_path__, __scrape_interval__, __scrape_timeout__ } = discovered
    // In order of their names, and none that is empty.
    this.#discovered = labelsOf(discovered).record()
    this.job = job
    const address = withPort(__address__!, __scheme__!)
    this.url = `${__scheme__}://${address}${__metrics_path__}`
    this.interval = __scrape_interval__!
    this.timeout = __scrape_timeout__!
    const plain = Object.entries(this.#discovered).filter(([name]) => !name.startsWith('__'))
    this.labels = labelsOf({ instance: address, ...Object.fromEntries(plain) })
  }

  /** The same for the same target, before and after a reload. */
  get key(): string {
    return `${this.job} ${this.url} ${this.interval} ${this.timeout} ${this.labels.key}`
  }

  get intervalMs(): number {
    return durationMs(this.interval)
  }

  get timeoutMs(): number {
    return durationMs(this.timeout)
  }

  /** The clock was set by so much. */
  move(ms: number): void {
    if (this.last) this.last = { ...this.last, atMs: this.last.atMs + ms }
  }

  shown(): ActiveTarget {
    const { last } = this
    return {
      discoveredLabels: this.#discovered,
      labels: this.labels.record(),
      scrapePool: this.job,
      scrapeUrl: this.url,
      globalUrl: this.url.replace(
        /^(https?:\/\/)(localhost|127\.0\.0\.1|\[::1\])(?=[:/])/,
        `$1${hostname()}`,
      ),
      lastError: last?.error ?? '',
      lastScrape: last ? new Date(last.atMs).toISOString() : never,
      // To the nanosecond, as Go counts.
      lastScrapeDuration: Math.round((last?.durationMs ?? 0) * 1e6) / 1e9,
      health: last ? (last.error === '' ? 'up' : 'down') : 'unknown',
      scrapeInterval: this.interval,
      scrapeTimeout: this.timeout,
    }
  }
}

/** By job, each target once. */
export function targetsOf({ global, scrape_configs }: ScrapeConfig): Target[] {
  const jobs = scrape_configs.toSorted((a, b) => (a.job_name < b.job_name ? -1 : 1))
  const targets = jobs.flatMap(job => {
    const intervalMs = durationMs(job.scrape_interval ?? global.scrape_interval)
    const timeoutMs = durationMs(job.scrape_timeout ?? global.scrape_timeout)
    return job.static_configs.flatMap(({ targets, labels }) =>
      targets.map(
        address =>
          new Target(job.job_name, {
            __address__: address,
            __metrics_path__: job.metrics_path,
            __scheme__: job.scheme,
            __scrape_interval__: durationText(intervalMs),
            __scrape_timeout__: durationText(Math.min(timeoutMs, intervalMs)),
            job: job.job_name,
            // A label of the user's comes before what is usual, unless it is empty.
            ...Object.fromEntries(Object.entries(labels ?? {}).filter(([, value]) => value !== '')),
          }),
      ),
    )
  })
  return [...new Map(targets.map(target => [target.key, target])).values()]
}

/** Without a port it is that of the scheme, in every place that shows it. */
const withPort = (address: string, scheme: string): string =>
  /^(\[[^\]]+\]|[^:[\]]+)$/.test(address) ? `${address}:${scheme === 'https' ? 443 : 80}` : address
