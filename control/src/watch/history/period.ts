/** What was seen of a service in one period: counts and sums only, so that longer periods are exact sums of shorter ones. */
import type { Tables } from '#store'
import { Buckets, noPercentiles, type Percentiles } from './buckets.ts'
import type { Increase } from './increases.ts'
import { OwnBuckets } from './own-buckets.ts'

/** Seconds, and how many of them are kept: a new one takes the place of the one that is so many older. */
export const levels = [
  { periodS: 300, kept: 288 },
  { periodS: 3600, kept: 168 },
  { periodS: 86_400, kept: 400 },
] as const
export type PeriodS = (typeof levels)[number]['periodS']

export type PeriodRow = Tables['service_period']

/** For charts. */
export interface PeriodFigures {
  /** When it begins: seconds since 1970. */
  readonly at: number
  readonly period_s: number
  readonly looks: number
  readonly latency_ms: Percentiles
  /** Requests per second. */
  readonly rate: number | null
  readonly request_ms: Percentiles
  readonly memory_bytes: number | null
  readonly memory_max_bytes: number | null
}

export class Period {
  readonly at: number
  readonly periodS: PeriodS
  readonly latency = new Buckets()
  #looks = 0
  #requests: number | null = null
  #observedS = 0
  #requestLatency: OwnBuckets | null = null
  #memoryMax: number | null = null
  #memoryLast: number | null = null

  constructor(periodS: PeriodS, second: number) {
    this.periodS = periodS
    this.at = second - (second % periodS)
  }

  static of(row: PeriodRow): Period {
    const period = new Period(row.period_s as PeriodS, row.at)
    period.latency.merge(Buckets.parse(row.latency))
    period.#looks = row.looks
    period.#requests = row.requests
    period.#observedS = row.observed_s
    if (row.request_latency !== null) period.#requestLatency = OwnBuckets.parse(row.request_latency)
    period.#memoryMax = row.memory_max_bytes
    period.#memoryLast = row.memory_bytes
    return period
  }

  get end(): number {
    return this.at + this.periodS
  }

  look(latencyMs: number | null): void {
    this.#looks++
    if (latencyMs !== null) this.latency.add(latencyMs)
  }

  /** What the service's own counters grew by; at its end. */
  grow({ requests, observedS, latency }: Increase): void {
    if (requests !== null) {
      this.#requests = (this.#requests ?? 0) + requests
      this.#observedS += observedS
    }
    this.#addRequestLatency(latency)
  }

  memory(bytes: number | null): void {
    if (bytes === null || !(bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER)) return
    this.#memoryLast = Math.round(bytes)
    this.#memoryMax = Math.max(this.#memoryMax ?? 0, this.#memoryLast)
  }

  /** A shorter period that follows what is in here already. */
  merge(other: Period): void {
    this.#looks += other.#looks
    this.latency.merge(other.latency)
    if (other.#requests !== null) this.#requests = (this.#requests ?? 0) + other.#requests
    this.#observedS += other.#observedS
    this.#addRequestLatency(other.#requestLatency)
    this.#memoryLast = other.#memoryLast ?? this.#memoryLast
    if (other.#memoryMax !== null) this.#memoryMax = Math.max(this.#memoryMax ?? 0, other.#memoryMax)
  }

  #addRequestLatency(latency: OwnBuckets | null): void {
    if (!latency) return
    this.#requestLatency ??= new OwnBuckets()
    this.#requestLatency.merge(latency)
  }

  row(service: string): PeriodRow {
    const { kept } = levels.find(({ periodS }) => periodS === this.periodS)!
    return {
      service,
      period_s: this.periodS,
      slot: (this.at / this.periodS) % kept,
      at: this.at,
      looks: this.#looks,
      latency: `${this.latency}`,
      requests: this.#requests,
      observed_s: this.#observedS,
      request_latency: this.#requestLatency && `${this.#requestLatency}`,
      memory_bytes: this.#memoryLast,
      memory_max_bytes: this.#memoryMax,
    }
  }

  figures(): PeriodFigures {
    const rate = this.#requests === null || this.#observedS === 0 ? null : this.#requests / this.#observedS
    return {
      at: this.at,
      period_s: this.periodS,
      looks: this.#looks,
      latency_ms: this.latency.percentiles(),
      rate,
      request_ms: this.#requestLatency?.percentiles() ?? noPercentiles,
      memory_bytes: this.#memoryLast,
      memory_max_bytes: this.#memoryMax,
    }
  }
}
