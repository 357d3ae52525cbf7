/** The metrics server: keeps the files up with the services, and has the engine read them. */
import type { Logger } from 'pino'
import type { MonitoredService } from '#watch'
import {
  type ApiAnswer,
  type MetricsEngine,
  type Question,
  ReloadRefused,
  type ScrapeJobInput,
} from './engine.ts'
import { readOwnJobs, writeGenerated } from './generated-files.ts'
import { shippedRules } from './shipped-rules.ts'
import type { WatchedPlaces } from './watched-places.ts'
import { FilesRefused } from './yaml-file.ts'

/** Services change in bursts, as when ten projects are applied at once. */
const changesTogetherMs = 200

export interface MetricsServerOptions {
  readonly home: string
  readonly log: Logger
  readonly engine: MetricsEngine
  readonly watched: WatchedPlaces
  readonly intervalMs: number
  readonly timeoutMs: number
}

export class MetricsServer {
  readonly #options: MetricsServerOptions
  #services: readonly MonitoredService[] = []
  #ownJobs: readonly ScrapeJobInput[] = []
  #starting: Promise<void> | undefined
  #isStarted = false
  #changing: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(options: MetricsServerOptions) {
    this.#options = options
  }

  get engineName(): MetricsEngine['name'] {
    return this.#options.engine.name
  }

  /** All that there are. With the first of them it begins: before that its files would say that there is nothing. */
  set(services: readonly MonitoredService[]): void {
    this.#services = services
    if (this.#starting) this.#change()
    else
      this.#starting = this.#start().catch(error =>
        this.#options.log.error({ err: error }, 'the metrics server could not be started'),
      )
  }

  /**
   * Reads the users' files again, and has the engine take all of it, or none. However many ask at once, one reload is under way and
   * at most one more follows, which is for all who came in between. Throws `ReloadRefused`.
   */
  reload(): Promise<void> {
    if (!this.#running) return this.#run()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#run()
      })
    return this.#next
  }

  async isReady(): Promise<boolean> {
    return this.#isStarted && this.#options.engine.isReady()
  }

  ask(question: Question, parameters: URLSearchParams): Promise<ApiAnswer> {
    return this.#options.engine.ask(question, parameters)
  }

  async stop(): Promise<void> {
    await this.#starting
    clearTimeout(this.#changing)
    await Promise.allSettled([this.#running, this.#next])
    // One that never began has nothing to end, and nothing to store over what is kept.
    if (this.#isStarted) await this.#options.engine.stop()
  }

  async #start(): Promise<void> {
    const { engine, watched, log } = this.#options
    try {
      this.#ownJobs = this.#readOwnJobs()
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      log.error(
        { problems: error.problems },
        'the users’ scrape jobs are refused: the metrics server goes on without them',
      )
    }
    this.#write()
    await engine.start()
    this.#isStarted = true
    watched.watch.onNews(service => {
      if (watched.learn(service)) this.#change()
    })
  }

  #run(): Promise<void> {
    const before = this.#ownJobs
    this.#running = (async () => {
      await this.#starting
      this.#ownJobs = this.#readOwnJobs()
      this.#write()
      await this.#options.engine.reload()
    })()
      .catch(error => {
        // Whoever starts from the files next gets what is in use now.
        this.#ownJobs = before
        this.#write()
        throw error instanceof FilesRefused ? new ReloadRefused(error.message, { cause: error }) : error
      })
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  #change(): void {
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined
      this.#follow().catch(error =>
        this.#options.log.error({ err: error }, 'the metrics server could not follow the services'),
      )
    }, changesTogetherMs)
  }

  /** The users' jobs stay as they were last read: only a reload reads them. */
  async #follow(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next])
    if (!this.#write() || !this.#isStarted) return
    try {
      await this.#options.engine.follow()
    } catch (error) {
      if (!(error instanceof ReloadRefused)) throw error
      this.#options.log.error(
        { problems: error.message.split('\n') },
        'the services have changed, and the metrics server refuses its files: mend them, then POST /-/reload',
      )
    }
  }

  #readOwnJobs(): ScrapeJobInput[] {
    return readOwnJobs(
      this.#options.home,
      this.#options.engine.job,
      new Set(this.#services.map(({ id }) => id)),
    )
  }

  #write(): boolean {
    const { home, watched, intervalMs, timeoutMs, log } = this.#options
    watched.set(this.#services)
    const places = watched.all
    const jobs = [...new Set(places.map(({ job }) => job))]
    const names = new Set(this.#services.map(({ id }) => id))
    const taken = this.#ownJobs.filter(({ job_name }) => names.has(job_name))
    if (taken.length > 0)
      log.error(
        { jobs: taken.map(({ job_name }) => job_name) },
        'scrape jobs have the names of services and are left out: rename them',
      )
    return writeGenerated({
      ...{ home, places, intervalMs, timeoutMs, control: watched.control, rules: shippedRules(jobs) },
      ownJobs: this.#ownJobs.filter(job => !taken.includes(job)),
      idle: [...names].filter(name => !jobs.includes(name)),
    })
  }
}
