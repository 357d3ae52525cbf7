/** Scrapes what the watch does not look at: the jobs that users have written themselves. */
import { STATUS_CODES } from 'node:http'
import type { Clock } from '@quarterdeck/kit'
import { formatOf, KnownLines, PageError, readPage } from '@quarterdeck/metrics-text'
import type { Logger } from 'pino'
import { Prober, type ProbeTarget, pathOf, type Sighting, serverOf } from '#watch'
import type { Taken } from './intake.ts'
import type { Target } from './target.ts'

interface JobTarget extends ProbeTarget {
  readonly target: Target
}

export interface OwnJobsOptions {
  readonly clock: Clock
  readonly log: Logger
  take(target: Target, taken: Taken): void
}

export class OwnJobs {
  readonly #prober: Prober<JobTarget>
  readonly #known = new KnownLines()
  #ids: readonly string[] = []

  constructor({ clock, log, take }: OwnJobsOptions) {
    const onSighting = (sighting: Sighting<JobTarget>) => take(sighting.target.target, this.#read(sighting))
    this.#prober = new Prober({ clock, log, onSighting })
  }

  /** From now on these. */
  set(targets: readonly Target[], headers: ReadonlyMap<string, Readonly<Record<string, string>>>): void {
    const gone = new Set(this.#ids)
    for (const target of targets) {
      const url = new URL(target.url)
      gone.delete(target.key)
      this.#prober.set({
        ...{ id: target.key, target, paths: [pathOf(url)] },
        server: serverOf(url, headers.get(target.job)),
        ...{ intervalMs: target.intervalMs, timeoutMs: target.timeoutMs },
      })
    }
    for (const id of gone) this.#prober.remove(id)
    this.#ids = targets.map(({ key }) => key)
  }

  start(): void {
    this.#prober.start()
  }

  stop(): void {
    this.#prober.stop()
  }

  #read({ atMs, durationMs: lookMs, seen }: Sighting<JobTarget>): Taken {
    const [first] = seen
    const none = { atMs, durationMs: lookMs, page: null }
    if (!first) return { ...none, error: 'it was not asked' }
    if ('failure' in first) return { ...none, error: first.failure.message }
    const { answer, latencyMs: durationMs } = first
    if (answer.status !== 200) return { ...none, durationMs, error: statusError(answer.status) }
    if (answer.isCoded) return { ...none, durationMs, error: 'it is compressed, though nobody asked for it' }
    try {
      const page = readPage(answer.body, { format: formatOf(answer.type), known: this.#known })
      return { atMs, durationMs, page, error: '' }
    } catch (error) {
      if (!(error instanceof PageError)) throw error
      return { ...none, durationMs, error: error.message }
    }
  }
}

/** In Prometheus' words. */
export const statusError = (status: number): string =>
  `server returned HTTP status ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
