/** The series of the specification and the process's own, in the text format or OpenMetrics. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { openMetrics, prefersOpenMetrics } from './open-metrics.ts'

const textType = 'text/plain; version=0.0.4; charset=utf-8'
const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** The `endpoint` of everything that no route matched: one value, so that scanners cannot grow it. */
export const unmatchedEndpoint = 'unmatched'

export interface MetricsText {
  type: string
  body: string
}

export class Metrics {
  /** For a service's own series. */
  readonly registry = new Registry()
  readonly #duration: Histogram
  /** Requests are counted in plain maps and copied when scraped: a hundred times cheaper per request. */
  readonly #counts = new Map<string, Map<string, number>>()

  constructor() {
    const counts = this.#counts
    new Counter({
      name: 'http_requests_total',
      help: 'Total HTTP requests',
      labelNames: ['method', 'endpoint'] as const,
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [endpoint, methods] of counts) {
          for (const [method, count] of methods) this.inc({ method, endpoint }, count)
        }
      },
    })
    this.#duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Request latency',
      registers: [this.registry],
    })
  }

  observe(method: string, endpoint: string, seconds: number): void {
    const methods = this.#counts.get(endpoint) ?? new Map<string, number>()
    if (methods.size === 0) this.#counts.set(endpoint, methods)
    methods.set(method, (methods.get(method) ?? 0) + 1)
    this.#duration.observe(seconds)
  }

  async render(accept: string | undefined): Promise<MetricsText> {
    const text = joined(await this.registry.metrics(), await processRegistry().metrics())
    return prefersOpenMetrics(accept)
      ? { type: openMetricsType, body: openMetrics(text) }
      : { type: textType, body: text }
  }
}

let sharedRegistry: Registry | undefined

/** One for the process, however many hosts it serves. */
function processRegistry(): Registry {
  if (!sharedRegistry) {
    sharedRegistry = new Registry()
    collectDefaultMetrics({ register: sharedRegistry })
    // Gauges whose names end in _total: promtool rightly objects.
    for (const kind of ['handles', 'requests', 'resources']) {
      sharedRegistry.removeSingleMetric(`nodejs_active_${kind}_total`)
    }
  }
  return sharedRegistry
}

const joined = (...texts: string[]) => texts.map(text => `${text.trimEnd()}\n`).join('')
