/** What a service mounts: health, readiness, version and metrics under one name. Adapters put it on a framework. */
import { createServer, type RequestListener, type Server } from 'node:http'
import { buildSha } from './build-sha.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Listening, type ListenOptions, listen } from './listen.ts'
import { Metrics, type MetricsText } from './metrics.ts'
import { Readiness, type ReadinessCheck, type ReadinessResult } from './readiness.ts'

export interface KitOptions {
  /** Name of the service, as /version tells it. */
  name: string
  /** Where the service's code lies, to find its commit. Default: the working directory. */
  root?: string
  /** Dependencies that must answer for the service to be ready, by name. */
  checks?: Record<string, ReadinessCheck>
  clock?: Clock
  /** Hears why the service is not ready, and when it is again: the place to log it. */
  onReadinessChange?: (result: ReadinessResult) => void
}

/** One answer of an endpoint, whatever the framework. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string
}

const answer = (status: number, type: string, body: string): Answer => ({
  status,
  headers: { 'content-type': type, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' },
  body,
})

const json = (status: number, document: object): Answer =>
  answer(status, 'application/json; charset=utf-8', JSON.stringify(document))

const yes = json(200, { ok: true })
const no = json(503, { ok: false })

export class Kit {
  readonly name: string
  /** Taken once: it never changes while the process lives. */
  readonly sha: string
  readonly clock: Clock
  readonly metrics = new Metrics()
  readonly #readiness: Readiness
  readonly #version: Answer
  readonly #stop = new AbortController()

  constructor({
    name,
    root = process.cwd(),
    checks = {},
    clock = systemClock,
    onReadinessChange,
  }: KitOptions) {
    this.name = name
    this.sha = buildSha(root)
    this.clock = clock
    this.#version = json(200, { name, sha: this.sha })
    this.#readiness = new Readiness(clock, onReadinessChange)
    for (const [check, run] of Object.entries(checks)) this.check(check, run)
  }

  /** Registers a dependency without which the service cannot do its job. */
  check(name: string, run: ReadinessCheck, limitMs?: number): void {
    this.#readiness.add(name, run, limitMs)
  }

  /** Not ready from this moment on. What is long-lived (streams) listens to `stopping` and ends. */
  beginStop(): void {
    this.#readiness.stop()
    this.#stop.abort()
  }

  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  /**
   * Listens on the socket that systemd passes, else on all interfaces at PORT, and ends gracefully at a signal. Resolves
   * when it listens. Takes a server or what would be given to `http.createServer`.
   */
  listen(server: Server | RequestListener, options?: ListenOptions): Promise<Listening> {
    return listen(this, typeof server === 'function' ? createServer(server) : server, options)
  }

  /** Why it is ready or not. */
  readiness(): Promise<ReadinessResult> {
    return this.#readiness.ask()
  }

  /** /healthz asks nobody else: that it answers is the answer. */
  healthz(): Answer {
    return yes
  }

  async readyz(): Promise<Answer> {
    return (await this.readiness()).ok ? yes : no
  }

  version(): Answer {
    return this.#version
  }

  async metricsText(accept: string | undefined): Promise<Answer> {
    const { type, body }: MetricsText = await this.metrics.render(accept)
    return answer(200, type, body)
  }
}
