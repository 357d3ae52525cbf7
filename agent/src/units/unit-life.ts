/** The life of one unit: started, started again, stopped. What is done to it is done one after the other. */
import { bootId, type Tagged } from '../processes.ts'
import { BackOff, type BackOffTimes } from './back-off.ts'
import { KeptProcess, type KeptProcessOptions } from './kept-process.ts'
import { lastDue } from './timer-due.ts'
import { Turns } from './turns.ts'
import { endGroups, endProcess, endTagged, findAgain, type UnitProcess } from './unit-process.ts'
import { noProcess, type UnitRecord } from './unit-record.ts'

/** For what a process leaves behind when it ends, and for strays. */
const leftoverGraceMs = 3000

export interface UnitLifeOptions extends KeptProcessOptions {
  readonly backOff: BackOffTimes
  readonly onChange: () => void
}

/** An attempt that is not proven yet gets one process: one that ended while the agent was away is not tried again. */
const hasHadItsChance = ({ settled, started, boot_id }: UnitRecord) =>
  started && !settled && boot_id === bootId()

export class UnitLife {
  readonly kept: KeptProcess
  readonly #options: UnitLifeOptions
  readonly #backOff: BackOff
  readonly #turns = new Turns()
  #again: NodeJS.Timeout | undefined
  #isRestarting = false
  #isClosed = false

  constructor(options: UnitLifeOptions, record?: UnitRecord) {
    this.#options = options
    this.#backOff = new BackOff(options.backOff)
    this.kept = new KeptProcess(options, record, (process, livedMs) => this.#onEnded(process, livedMs))
  }

  /** Between two processes: that none runs does not mean that it failed. */
  get isRestarting(): boolean {
    return this.#isRestarting
  }

  recover(tagged: readonly Tagged[]): Promise<void> {
    return this.#inTurn(async () => {
      const found = findAgain(this.kept.known, tagged)
      const strays = tagged.filter(({ tag }) => !found || !tag.endsWith(`:${found.instance}`))
      const ended = await endGroups(strays, leftoverGraceMs)
      if (ended.length > 0) this.#options.log.warn({ groups: ended }, 'ended what the unit had left behind')
      if (found) await this.#takeBack(found)
      else await this.#startMissing()
    })
  }

  /** `next` is what is to run from now on; a timer waits for its time. */
  restart(next: UnitRecord, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void> {
    return this.#inTurn(async () => {
      options.signal.throwIfAborted()
      if (this.#runs(next.attempt)) return
      this.#isRestarting = true
      try {
        await this.#replaceBy(next, options)
      } finally {
        this.#isRestarting = false
      }
    })
  }

  settle(): void {
    const { record } = this.kept
    if (!record || record.settled) return
    this.kept.save({ settled: true, timer_from: record.timer_from ?? this.#now() })
    // It may have ended since it proved itself.
    this.#startLater(0)
    this.#options.onChange()
  }

  stop({ limitMs }: { limitMs: number }): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.kept.record) return
      if (this.kept.record.wanted === 'up') this.kept.save({ wanted: 'down', since: this.#now() })
      await this.#end(limitMs)
    })
  }

  start(): Promise<void> {
    return this.#inTurn(async () => {
      const { wanted, timer } = this.kept.known
      const since = this.#now()
      if (wanted === 'down') this.kept.save({ wanted: 'up', failed: false, timer_from: since, since })
      clearTimeout(this.#again)
      this.#backOff.reset()
      if (!timer && !this.kept.isRunning) await this.kept.spawn({ ...this.kept.known, restarts: 0 })
    })
  }

  remove(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.kept.record) return
      this.kept.save({ wanted: 'down' })
      await this.#end(leftoverGraceMs)
      this.kept.remove()
    })
  }

  /** Now and then: keeps the log small, and starts a timer that is due. */
  check(): void {
    if (!this.kept.record) return
    this.#options.logFile.bound()
    const { timer, timer_from, wanted, settled } = this.kept.record
    if (!timer || !timer_from || wanted === 'down' || !settled || this.#turns.isBusy) return
    const dueMs = lastDue(timer, Date.parse(timer_from), this.#options.clock.now().getTime())
    if (dueMs === undefined) return
    // Written first: killed now, it misses one time, and never runs twice. One that still runs is left alone.
    this.kept.save({ timer_from: new Date(dueMs).toISOString() })
    this.#inBackground(() => this.#startAgain())
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#again)
    this.kept.forget()
  }

  #runs(attempt: string): boolean {
    const { record } = this.kept
    if (record?.attempt !== attempt || record.wanted === 'down') return false
    return record.timer !== null || this.kept.isAlive || hasHadItsChance(record)
  }

  async #replaceBy(next: UnitRecord, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void> {
    // From here to `settle` the run says what is to run: killed in between, nothing comes up on its own.
    if (this.kept.record?.settled) this.kept.save({ settled: false })
    await this.#end(options.stopLimitMs)
    options.signal.throwIfAborted()
    this.#backOff.reset()
    if (next.timer) this.kept.write({ ...next, timer_from: this.#timerFrom(next), since: this.#now() })
    else await this.kept.spawn(next)
  }

  /** A timer that stays as it is keeps its times, or frequent deploys would put it off for ever. */
  #timerFrom({ timer }: UnitRecord): string | null {
    const before = this.kept.record
    return JSON.stringify(before?.timer) === JSON.stringify(timer) ? before!.timer_from : null
  }

  async #takeBack(found: UnitProcess): Promise<void> {
    this.kept.save({ pid: found.pid, start_time: found.startTime ?? null, started: true })
    this.kept.watch(found)
    this.#options.log.info({ pid: found.pid }, 'found the process of the unit again')
    // The agent was killed while it stopped the unit.
    if (this.kept.known.wanted === 'down') await this.#end(leftoverGraceMs)
  }

  async #startMissing(): Promise<void> {
    const { instance, boot_id, timer } = this.kept.known
    if (instance !== null) this.kept.save({ ...noProcess, since: this.#now() })
    // After a start of the machine nothing has failed, and there is nothing to wait for.
    if (boot_id !== bootId() && !timer) await this.#startAgain()
    else this.#startLater(0)
  }

  #onEnded(process: UnitProcess, livedMs: number): void {
    this.#inBackground(() => this.#endLeftovers(process))
    this.#startLater(livedMs)
    this.#options.onChange()
  }

  /** Such as workers that still hold the port. */
  async #endLeftovers(process: UnitProcess): Promise<void> {
    await endProcess(process, leftoverGraceMs)
    await endTagged(`${this.#options.tag}${process.instance}`, leftoverGraceMs)
  }

  async #end(limitMs: number): Promise<void> {
    clearTimeout(this.#again)
    await this.kept.end(limitMs)
    this.#options.logFile.bound()
  }

  #startLater(livedMs: number): void {
    if (!this.#mayStartAgain() || this.kept.known.timer) return
    clearTimeout(this.#again)
    const waitMs = this.#backOff.next(livedMs)
    this.#again = setTimeout(() => this.#inBackground(() => this.#startAgain()), waitMs)
    this.#again.unref()
  }

  async #startAgain(): Promise<void> {
    if (!this.#mayStartAgain()) return
    const { known } = this.kept
    try {
      await this.kept.spawn({ ...known, restarts: known.restarts + (known.timer ? 0 : 1) })
    } catch (error) {
      this.#options.log.error({ err: error }, 'the process of the unit could not be started again')
      this.#startLater(0)
    }
  }

  #mayStartAgain(): boolean {
    const { record, isRunning } = this.kept
    return record?.wanted === 'up' && record.settled && !isRunning && !this.#isClosed
  }

  /** Nobody waits for it: what goes wrong is recorded. */
  #inBackground(work: () => Promise<void>): void {
    const record = (error: unknown) =>
      this.#options.log.error({ err: error }, 'the unit is not as it should be')
    this.#inTurn(work).catch(record)
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#turns.take(work).finally(this.#options.onChange)
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}
