/**
 * The two series of the specification. They are counted in plain numbers and written as text when scraped, because
 * every request pays for them: prom-client takes many times longer for each.
 */

/** Upper bounds of the latency buckets, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The `endpoint` of everything that no route matched: one value, so that scanners cannot grow it. */
export const unmatchedEndpoint = 'unmatched'

const mostEndpoints = 1000

export class RequestMetrics {
  /** Requests by endpoint and method. */
  readonly #counts = new Map<string, Map<string, number>>()
  /** Requests by the first bound that they kept within; the last is for those that kept none. */
  readonly #latencies = new Array<number>(bounds.length + 1).fill(0)
  #seconds = 0

  observe(method: string, endpoint: string, seconds: number): void {
    const methods = this.#methodsOf(endpoint)
    methods.set(method, (methods.get(method) ?? 0) + 1)
    let bucket = 0
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
    this.#latencies[bucket]!++
    this.#seconds += seconds
  }

  /** However an adapter is misled about templates, memory stays bounded. */
  #methodsOf(endpoint: string): Map<string, number> {
    const known = this.#counts.get(endpoint)
    if (known) return known
    if (this.#counts.size >= mostEndpoints && endpoint !== unmatchedEndpoint)
      return this.#methodsOf(unmatchedEndpoint)
    const methods = new Map<string, number>()
    this.#counts.set(endpoint, methods)
    return methods
  }

  /** In text format 0.0.4. */
  text(): string {
    return [...this.#requestLines(), ...this.#latencyLines(), ''].join('\n')
  }

  *#requestLines(): Generator<string> {
    yield '# HELP http_requests_total Total HTTP requests'
    yield '# TYPE http_requests_total counter'
    for (const [endpoint, methods] of this.#counts) {
      for (const [method, count] of methods) {
        yield `http_requests_total{method="${escaped(method)}",endpoint="${escaped(endpoint)}"} ${count}`
      }
    }
  }

  *#latencyLines(): Generator<string> {
    yield '# HELP http_request_duration_seconds Request latency'
    yield '# TYPE http_request_duration_seconds histogram'
    let sum = 0
    for (const [i, count] of this.#latencies.entries()) {
      sum += count
      yield `http_request_duration_seconds_bucket{le="${bounds[i] ?? '+Inf'}"} ${sum}`
    }
    yield `http_request_duration_seconds_sum ${this.#seconds}`
    yield `http_request_duration_seconds_count ${sum}`
  }
}

/** Half a character, which some clients send, would not be valid UTF-8. */
const escaped = (value: string) =>
  value.toWellFormed().replace(/[\\"\n]/g, character => (character === '\n' ? '\\n' : `\\${character}`))
