/** How much is asked of a service, how fast it answers and how much memory it takes: what the page says of the series of the specification. */
import { numberOf } from './number.ts'
import type { Page, Sample } from './page.ts'

export interface GoldenSignals {
  /** All requests since the service started. */
  requests: number | null
  latency: Latency | null
  memoryBytes: number | null
}

/** Requests by duration since the service started. */
export interface Latency {
  /** Upper bounds in seconds, increasing; the last is Infinity. */
  le: number[]
  /** How many requests kept within each bound: never decreasing. */
  counts: number[]
}

const requestsName = 'http_requests_total'
const bucketName = 'http_request_duration_seconds_bucket'
const countName = 'http_request_duration_seconds_count'
const memoryName = 'process_resident_memory_bytes'

/** Null where the page does not have it. Values that cannot be are passed by, and series with further labels are added up. */
export function goldenSignals({ samples }: Page): GoldenSignals {
  let requests: number | null = null
  let memoryBytes: number | null = null
  let timed: number | null = null
  const buckets = new Map<number, number>()
  for (const sample of samples) {
    const { value } = sample
    if (!(value >= 0 && value < Infinity)) continue
    switch (sample.series.name) {
      case requestsName:
        requests = (requests ?? 0) + value
        break
      case bucketName:
        addBucket(buckets, sample)
        break
      case countName:
        timed = (timed ?? 0) + value
        break
      case memoryName:
        memoryBytes = (memoryBytes ?? 0) + value
        break
    }
  }
  return { requests, latency: latencyOf(buckets, timed), memoryBytes }
}

function addBucket(buckets: Map<number, number>, { series, value }: Sample): void {
  const bound = numberOf(series.labels.get('le') ?? '')
  if (bound === undefined || Number.isNaN(bound)) return
  buckets.set(bound, (buckets.get(bound) ?? 0) + value)
}

/** The count stands in for a missing bucket of everything. */
function latencyOf(buckets: Map<number, number>, timed: number | null): Latency | null {
  if (!buckets.has(Infinity) && timed !== null && buckets.size > 0) buckets.set(Infinity, timed)
  if (!buckets.has(Infinity)) return null
  const le = [...buckets.keys()].sort((a, b) => a - b)
  let most = 0
  const counts = le.map(bound => {
    most = Math.max(most, buckets.get(bound)!)
    return most
  })
  return { le, counts }
}
