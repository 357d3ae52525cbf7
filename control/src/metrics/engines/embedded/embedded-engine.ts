/** The metrics engine in the box: reads Prometheus' files, takes the pages that the watch reads anyway, evaluates the rules. */
import { scrapeJob } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { readPage } from '@quarterdeck/metrics-text'
import type { Logger } from 'pino'
import type { Store } from '#store'
import type { ApiAnswer, MetricsEngine, Question } from '../../engine.ts'
import { ReloadRefused } from '../../engine.ts'
import type { WatchedPlaces } from '../../watched-places.ts'
import { FilesRefused } from '../../yaml-file.ts'
import { alertsAnswer, rulesAnswer, targetsAnswer } from './answers.ts'
import { ClockSteps } from './clock-steps.ts'
import { Evaluation } from './evaluation.ts'
import { Intake, reportedNeeds, type Taken } from './intake.ts'
import { KeptClocks } from './kept-clocks.ts'
import { type LoadedFiles, loadFiles, type RuleFiles } from './load-files.ts'
import { Outbox, type TellAlerts } from './outbox.ts'
import { OwnJobs, statusError } from './own-jobs.ts'
import { queryAnswer } from './query.ts'
import type { RuleState } from './rule-state.ts'
import { Rules } from './rules.ts'
import { SeriesStore } from './series.ts'
import { type Target, targetsOf } from './target.ts'

const tickMs = 200
const forgetEveryMs = 60_000
const sayEveryMs = 60_000

export interface EmbeddedOptions {
  readonly home: string
  readonly clock: Clock
  readonly log: Logger
  readonly store: Store
  readonly watched: WatchedPlaces
  readonly onAlerts: TellAlerts
}

export class EmbeddedEngine implements MetricsEngine {
  readonly name = 'embedded'
  readonly job = scrapeJob
  readonly #options: EmbeddedOptions
  readonly #series = new SeriesStore(reportedNeeds)
  readonly #intake = new Intake(this.#series)
  readonly #ownJobs: OwnJobs
  readonly #evaluation: Evaluation
  readonly #kept: KeptClocks
  readonly #outbox: Outbox
  readonly #steps: ClockSteps
  #targets: readonly Target[] = []
  /** By the instance that the watch looks at; those of control by when they are due. */
  #byInstance = new Map<string, Target>()
  #atControl = new Map<Target, number>()
  #ticking: NodeJS.Timeout | undefined
  #forgotMs = 0
  #ownRules: RuleFiles = {}
  #saidFullMs = Number.NEGATIVE_INFINITY
  /** After a start memory is empty: alerts are held until every target had the time to be scraped twice, also over reloads. */
  #heldUntilMs = -Infinity

  constructor(options: EmbeddedOptions) {
    const { clock, log, store } = options
    this.#options = options
    this.#ownJobs = new OwnJobs({ clock, log, take: (target, taken) => this.#take(target, taken) })
    this.#kept = new KeptClocks({ store, clock, log })
    this.#outbox = new Outbox({ tell: options.onAlerts, clock, log })
    this.#steps = new ClockSteps(clock)
    this.#evaluation = new Evaluation(
      { clock, log, store: this.#series, onEvaluated: () => this.#evaluated() },
      new Rules({}, tickMs),
    )
  }

  async start(): Promise<void> {
    const { log, home, watched } = this.#options
    const kept = await this.#kept.read()
    try {
      this.#use(loadFiles(home))
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      log.error(
        { problems: error.problems },
        'the users’ files for the metrics server are refused: it goes on with its own',
      )
      this.#use(loadFiles(home, {}))
    }
    const nowMs = this.#nowMs()
    const slowestMs = Math.max(0, ...this.#targets.map(({ intervalMs }) => intervalMs))
    this.#heldUntilMs = nowMs + 2 * slowestMs + 5000
    if (kept) this.#evaluation.rules.restore(kept, nowMs, this.#heldUntilMs - nowMs)
    watched.onScrape((instance, scrape) => {
      const target = this.#byInstance.get(instance)
      if (!target) return
      const { atMs, page, reason, durationMs } = scrape
      this.#take(target, { atMs, page, durationMs, error: reason?.message ?? '' })
    })
    this.#ownJobs.start()
    this.#ticking = setInterval(() => this.tick(), tickMs)
  }

  reload(): Promise<void> {
    return this.#load()
  }

  follow(): Promise<void> {
    return this.#load(this.#ownRules)
  }

  async #load(ownRules?: RuleFiles): Promise<void> {
    try {
      this.#use(loadFiles(this.#options.home, ownRules))
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      throw new ReloadRefused(error.message, { cause: error })
    }
  }

  async isReady(): Promise<boolean> {
    return true
  }

  async ask(question: Question, parameters: URLSearchParams): Promise<ApiAnswer> {
    const { rules } = this.#evaluation
    switch (question) {
      case 'targets':
        return targetsAnswer(this.#targets, parameters)
      case 'rules':
        return rulesAnswer(rules, parameters)
      case 'alerts':
        return alertsAnswer(rules)
      case 'query':
        return queryAnswer(this.#series, parameters, this.#nowMs())
    }
  }

  /** Whatever is due by the clock. */
  tick(): void {
    const nowMs = this.#nowMs()
    this.#scrapeControl(nowMs)
    this.#evaluation.tick()
    if (nowMs - this.#forgotMs < forgetEveryMs) return
    this.#forgotMs = nowMs
    this.#series.forget(nowMs)
  }

  async settled(): Promise<void> {
    await this.#evaluation.settled()
    await this.#outbox.settled()
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticking)
    this.#ownJobs.stop()
    await this.settled()
    await this.#kept.close(this.#saved())
  }

  #use({ config, headers, rules, ownRules }: LoadedFiles): void {
    this.#ownRules = ownRules
    const nowMs = this.#nowMs()
    const before = this.#evaluation.rules
    rules.restore(this.#saved(), nowMs, Math.max(0, this.#heldUntilMs - nowMs))
    before.end(this.#series, nowMs)
    this.#series.need([...reportedNeeds, ...rules.needs])
    this.#evaluation.set(rules)
    const still = new Set(rules.alerts.map(({ labels }) => labels.key))
    void this.#outbox.end(
      before.alerts.filter(({ labels }) => !still.has(labels.key)),
      nowMs,
    )
    this.#setTargets(targetsOf(config), headers, nowMs)
  }

  /** A target that was there before keeps what is known of it. */
  #setTargets(targets: readonly Target[], headers: LoadedFiles['headers'], nowMs: number): void {
    const before = new Map(this.#targets.map(target => [target.key, target]))
    const due = this.#atControl
    this.#targets = targets.map(target => before.get(target.key) ?? target)
    this.#byInstance = new Map()
    this.#atControl = new Map()
    const own: Target[] = []
    for (const target of this.#targets) {
      before.delete(target.key)
      const place = this.#options.watched.placeOf(target.job, target.url)
      if (place === undefined) own.push(target)
      else if (place.instance === null) this.#atControl.set(target, due.get(target) ?? nowMs)
      else this.#byInstance.set(place.instance, target)
    }
    for (const target of before.values()) this.#intake.end(target, nowMs)
    this.#ownJobs.set(own, headers)
  }

  /** What a scrape of control would bring, without asking over the network what is known here. */
  #scrapeControl(nowMs: number): void {
    for (const [target, dueMs] of this.#atControl) {
      if (nowMs < dueMs) continue
      this.#atControl.set(target, (nowMs - dueMs < target.intervalMs ? dueMs : nowMs) + target.intervalMs)
      const { clock, watched } = this.#options
      const beganMs = clock.monotonicMs()
      const { status, text } = watched.probe(target.job)
      const page = status === 200 ? readPage(text) : null
      const error = page ? '' : `${statusError(status)}: ${text.trim()}`
      this.#take(target, { atMs: nowMs, durationMs: clock.monotonicMs() - beganMs, page, error })
    }
  }

  #take(target: Target, taken: Taken): void {
    // It may have begun before the clock was set back.
    const atMs = Math.min(taken.atMs, this.#nowMs())
    const leftOut = this.#intake.take(target, { ...taken, atMs })
    if (leftOut > 0) this.#sayFull(target, leftOut)
    this.#evaluation.sampled()
  }

  /** Rules would not see them, and nobody would know why. */
  #sayFull({ job, url }: Target, samples: number): void {
    const { clock, log } = this.#options
    if (clock.monotonicMs() - this.#saidFullMs < sayEveryMs) return
    this.#saidFullMs = clock.monotonicMs()
    log.warn(
      { job, url, samples },
      'a target has more series that rules name than fit into memory: the rest of them is left out. Name fewer, or use the Prometheus engine',
    )
  }

  #evaluated(): void {
    this.#outbox.send(this.#evaluation.rules.alerts)
    this.#kept.note(this.#saved())
  }

  #saved(): RuleState {
    return this.#evaluation.rules.save(alert => this.#outbox.owes(alert))
  }

  /** The time of day. Whoever asks for it goes on with what is remembered at times of the same clock. */
  #nowMs(): number {
    const { clock, log } = this.#options
    const steppedMs = this.#steps.take()
    if (steppedMs !== 0) {
      log.warn({ seconds: steppedMs / 1000 }, 'the clock was set: samples, alerts and what is due move along')
      this.#move(steppedMs)
    }
    return clock.now().getTime()
  }

  #move(ms: number): void {
    this.#series.move(ms)
    this.#evaluation.move(ms)
    for (const target of this.#targets) target.move(ms)
    for (const [target, dueMs] of this.#atControl) this.#atControl.set(target, dueMs + ms)
    this.#heldUntilMs += ms
    this.#forgotMs += ms
  }
}
