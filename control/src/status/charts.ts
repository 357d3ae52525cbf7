/** The charts of services: read from the store when somebody looks, and kept for a minute or while the store is away. */
import { type Html, html } from '@quarterdeck/pages'
import type { Logger } from 'pino'
import type { Store } from '#store'
import { deploysSince } from './deploy-marks.ts'
import { latencyChart } from './page/chart.ts'
import { words } from './page/words.ts'
import type { StatusOptions } from './status-json.ts'

const spanS = 86_400
const freshForMs = 60_000
const mostKept = 500

interface Kept {
  readonly chart: Html
  readonly madeMs: number
}

export class Charts {
  readonly #options: Pick<StatusOptions, 'history' | 'clock'>
  readonly #store: Store
  readonly #log: Logger
  readonly #kept = new Map<string, Kept>()
  readonly #making = new Map<string, Promise<Html>>()

  constructor(options: Pick<StatusOptions, 'history' | 'clock'>, store: Store, log: Logger) {
    this.#options = options
    this.#store = store
    this.#log = log
  }

  /** Never fails: without the store it is the one before, or says so. */
  async get(id: string, name: string): Promise<Html> {
    const kept = this.#kept.get(id)
    if (kept && this.#options.clock.monotonicMs() - kept.madeMs < freshForMs) return kept.chart
    const making = this.#making.get(id) ?? this.#make(id, name)
    this.#making.set(id, making)
    try {
      return await making
    } catch (error) {
      this.#log.warn({ err: error, service: id }, 'the chart of a service could not be made')
      return kept?.chart ?? html`<p class="soft">${words.chartAway}</p>`
    } finally {
      this.#making.delete(id)
    }
  }

  async #make(id: string, name: string): Promise<Html> {
    const { history, clock } = this.#options
    const to = Math.floor(clock.now().getTime() / 1000)
    const from = to - spanS
    const [figures, deploys] = await Promise.all([
      history.signals(id, from, to),
      deploysSince(this.#store, id, from),
    ])
    const points = figures.map(({ at, latency_ms }) => ({ at: Math.max(at, from), p95: latency_ms.p95 }))
    const chart = latencyChart({ name, from, to, points, deploys })
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.set(id, { chart, madeMs: clock.monotonicMs() })
    return chart
  }
}
