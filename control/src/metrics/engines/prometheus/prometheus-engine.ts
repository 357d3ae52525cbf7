/** A real Prometheus behind the door: it has the files, we have its HTTP API. Its alerts come in at `/api/v2/alerts`. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type ApiAnswer, failed, type MetricsEngine, type Question, ReloadRefused } from '../../engine.ts'
import { PrometheusProgram } from './program.ts'

const answerLimitMs = 30_000
const lookEveryMs = 5000
/** For one that was just started, or is on its way back. */
const readyLimitMs = 15_000
const longestAnswer = 64 * 1024 * 1024

export interface PrometheusOptions {
  readonly home: string
  readonly log: Logger
  /** Where it is; or the program that is to be started. */
  readonly url?: string | undefined
  readonly program?: string | undefined
}

export class PrometheusEngine implements MetricsEngine {
  readonly name = 'prometheus'
  /** It knows best itself. */
  readonly job = z.looseObject({ job_name: z.string().min(1) })
  readonly #log: Logger
  readonly #url: string | undefined
  readonly #program: PrometheusProgram | undefined
  #isThere: boolean | undefined
  #looking: NodeJS.Timeout | undefined

  constructor({ home, log, url, program }: PrometheusOptions) {
    this.#log = log
    this.#url = url?.replace(/\/+$/, '')
    this.#program = program === undefined ? undefined : new PrometheusProgram({ home, log, program })
  }

  async start(): Promise<void> {
    await this.#program?.start()
    // One of somebody else's may have read files that were older.
    if (this.#url !== undefined)
      await this.reload().catch(error =>
        this.#log.warn({ reason: error.message }, 'Prometheus has not taken the files'),
      )
    this.#looking = setInterval(() => void this.isReady(), lookEveryMs)
  }

  async reload(): Promise<void> {
    this.#program?.wake()
    // One that does not run reads the files when it starts.
    if (this.#program && !(await this.#isBack()))
      throw new ReloadRefused(`Prometheus does not run: ${this.#program.lastWords}`)
    const heard = this.#program?.heard ?? 0
    try {
      const response = await this.#fetch('/-/reload', { method: 'POST' })
      if (response.status === 200) return
      const text = (await response.text()).trim().replace(/^failed to reload config: /, '')
      const errors = this.#program?.errorsSince(heard) ?? []
      const more = errors.filter(error => !text.includes(error))
      throw new ReloadRefused(
        [...new Set([text || `Prometheus answers ${response.status}`, ...more])].join('\n'),
      )
    } catch (error) {
      throw error instanceof ReloadRefused ? error : new ReloadRefused(unreachable(error), { cause: error })
    }
  }

  /** It reads all of its files; a bad one of the users' keeps it from its rules, not from its targets. */
  follow(): Promise<void> {
    return this.reload()
  }

  async isReady(): Promise<boolean> {
    const reason = await this.#fetch('/-/ready', {}, lookEveryMs).then(
      ({ ok, status }) => (ok ? undefined : `it answers ${status}`),
      error => unreachable(error),
    )
    const isThere = reason === undefined
    if (isThere !== this.#isThere) {
      if (!isThere)
        this.#log.warn({ reason }, 'Prometheus is gone: nothing is scraped, and no rule evaluated')
      else if (this.#isThere !== undefined) this.#log.info('Prometheus is back')
      this.#isThere = isThere
    }
    return isThere
  }

  async ask(question: Question, parameters: URLSearchParams): Promise<ApiAnswer> {
    try {
      const post = question === 'query'
      const response = await this.#fetch(
        `/api/v1/${question}${post ? '' : `?${parameters}`}`,
        post ? { method: 'POST', body: parameters } : {},
      )
      return { status: response.status, body: await bounded(response) }
    } catch (error) {
      return failed(503, 'unavailable', unreachable(error))
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#looking)
    await this.#program?.stop()
  }

  async #isBack(): Promise<boolean> {
    const endMs = performance.now() + readyLimitMs
    while (!(await this.isReady())) {
      if (performance.now() > endMs) return false
      await wait(100)
    }
    return true
  }

  #fetch(path: string, init: RequestInit = {}, limitMs = answerLimitMs): Promise<Response> {
    const base = this.#program ? this.#program.url : this.#url
    if (base === undefined) return Promise.reject(new Error('it does not run'))
    return fetch(base + path, { ...init, redirect: 'error', signal: AbortSignal.timeout(limitMs) })
  }
}

async function bounded(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > longestAnswer) throw new Error('its answer is too long')
  }
  return text
}

const unreachable = (error: unknown): string => {
  const { cause, message } = error as Error
  const { code, message: why = message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>
  return `Prometheus does not answer (${code ?? why})`
}
