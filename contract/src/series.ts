/** The metric series of the specification, and the two text formats they are exposed in. */

/** What a service exposes about its own requests. */
export const series = {
  requests: {
    name: 'http_requests_total',
    kind: 'counter',
    labels: ['method', 'endpoint'],
    help: 'Total HTTP requests',
  },
  duration: {
    name: 'http_request_duration_seconds',
    kind: 'histogram',
    labels: [],
    help: 'Request latency',
  },
} as const

/** What the metrics server uses besides, per job. */
export const serverSeries = {
  /** Made by the metrics server itself: 0 when the target is down. */
  up: 'up',
  residentMemory: 'process_resident_memory_bytes',
} as const

/** Content types of /metrics. Text is the answer unless Accept prefers OpenMetrics. */
export const metricsContentTypes = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openMetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const
