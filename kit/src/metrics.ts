/** The series of the specification and the process's own, in the text format or OpenMetrics. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { openMetrics, prefersOpenMetrics } from './open-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'

export { unmatchedEndpoint } from './request-metrics.ts'

const textType = 'text/plain; version=0.0.4; charset=utf-8'
const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export interface MetricsText {
  type: string
  body: string
}

export class Metrics {
  /** For a service's own series. */
  readonly registry = new Registry()
  readonly #requests = new RequestMetrics()

  observe(method: string, endpoint: string, seconds: number): void {
    this.#requests.observe(method, endpoint, seconds)
  }

  async render(accept: string | undefined): Promise<MetricsText> {
    const text =
      this.#requests.text() + joined(await this.registry.metrics(), await processRegistry().metrics())
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

/** An empty registry gives an empty text. */
const joined = (...texts: string[]) => texts.map(text => text.trim() && `${text.trimEnd()}\n`).join('')
