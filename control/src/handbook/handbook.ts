/** The handbook at work: built when it is first asked for or soon after the start, then kept up with its sources. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { Signal } from '#events'
import type { About } from './about.ts'
import { Builder } from './build.ts'
import { checkLinks } from './check-links.ts'
import { Renderer } from './render/renderer.ts'
import type { Site } from './site.ts'
import type { Feed, Problem } from './source.ts'

/** Nobody who starts an environment waits for this. */
const firstBuildMs = 15_000
/** Who changes a page changes it again. */
const restMs = 60_000
const reportedAtMost = 20

export interface HandbookOptions {
  about: About
  feeds: readonly Feed[]
  /** A folder of its own for what need not be made twice. */
  cache: string
  clock: Clock
  log: Logger
}

export class Handbook {
  readonly about: About
  readonly clock: Clock
  readonly #feeds: readonly Feed[]
  readonly #log: Logger
  readonly #renderer: Renderer
  readonly #builder: Builder
  readonly #ended = new AbortController()
  readonly #changed = new Signal()
  readonly #first: NodeJS.Timeout
  #reported = new Set<string>()
  #building: Promise<void> | undefined
  #site: Site | undefined

  constructor({ about, feeds, cache, clock, log }: HandbookOptions) {
    this.about = about
    this.clock = clock
    this.#feeds = feeds
    this.#log = log
    this.#renderer = new Renderer({ cache })
    this.#builder = new Builder(this.#renderer)
    this.#first = setTimeout(() => this.#begin().catch(() => undefined), firstBuildMs).unref()
  }

  /** As it is now: always a whole one. */
  async site(): Promise<Site> {
    if (!this.#site) await this.#begin()
    return this.#site!
  }

  close(): void {
    clearTimeout(this.#first)
    this.#ended.abort()
    this.#renderer.close()
  }

  #begin(): Promise<void> {
    this.#building ??= this.#build().catch(error => {
      this.#building = undefined
      throw error
    })
    return this.#building
  }

  async #build(): Promise<void> {
    clearTimeout(this.#first)
    await Promise.all(this.#feeds.map(feed => feed.load()))
    await this.#rebuild(undefined)
    const { signal } = this.#ended
    if (signal.aborted) return
    void this.#follow()
    for (const feed of this.#feeds) feed.watch(() => this.#changed.raise(), signal)
  }

  /** However much changes meanwhile, the next build takes all of it. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended
    let next = this.#changed.wait(signal)
    for (await next; !signal.aborted; await next) {
      next = this.#changed.wait(signal)
      await this.#rebuild(restMs).catch(error =>
        this.#log.error({ err: error }, 'the handbook could not be built; it stays as it was'),
      )
    }
  }

  async #rebuild(rest: number | undefined): Promise<void> {
    for (const feed of this.#feeds) feed.refresh?.()
    const site = await this.#builder.build(
      this.#feeds.flatMap(feed => feed.sources),
      rest,
    )
    if (this.#ended.signal.aborted) return
    this.#site = site
    setImmediate(() => this.#report([...site.problems, ...checkLinks(site)]))
  }

  /** Each problem once, until it is gone. */
  #report(problems: readonly Problem[]): void {
    const known = this.#reported
    this.#reported = new Set(problems.map(problemText))
    const fresh = problems.filter(problem => !known.has(problemText(problem)))
    for (const problem of fresh.slice(0, reportedAtMost))
      this.#log.warn(problem, 'a page of the handbook needs mending')
    if (fresh.length > reportedAtMost)
      this.#log.warn({ more: fresh.length - reportedAtMost }, 'and more: qd handbook check lists them')
  }
}

export const problemText = ({ file, line, message }: Problem): string =>
  line === null ? `${file}: ${message}` : `${file}:${line}: ${message}`
