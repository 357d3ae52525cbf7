/** The life of one unit of systemd's: started, held, stopped. What is done to it is done one after the other. */
import { bootId } from '../processes.ts'
import type { Control } from './systemd-control.ts'
import { SystemdKept, type SystemdKeptOptions } from './systemd-kept.ts'
import { type Described, newSystemdRecord, type SystemdRecord } from './systemd-record.ts'
import { Turns } from './turns.ts'
import type { UnitStart } from './unit-engine.ts'

const leftoverGraceMs = 3000

export interface SystemdLifeOptions extends SystemdKeptOptions {
  readonly control: Control
  /** How long after systemd has given up it is tried again. */
  readonly reviveMs: number
  readonly onChange: () => void
}

interface RestartOptions {
  readonly stopLimitMs: number
  readonly signal: AbortSignal
}

export class SystemdLife {
  readonly kept: SystemdKept
  readonly #options: SystemdLifeOptions
  readonly #control: Control
  readonly #turns = new Turns()
  #isRestarting = false
  #isClosed = false
  #held: string | undefined

  constructor(options: SystemdLifeOptions, record?: SystemdRecord) {
    this.#options = options
    this.#control = options.control
    this.kept = new SystemdKept(options, record)
  }

  /** Between two processes: that none runs does not mean that it failed. */
  get isRestarting(): boolean {
    return this.#isRestarting
  }

  /** What is really there decides: systemd may have gone on alone, and the machine may have started anew. */
  recover(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#look()
      this.#findAgain()
      const { wanted, settled } = this.kept.known
      if (wanted === 'down') await this.#end(leftoverGraceMs)
      else if (settled) await this.#bringBack()
    })
  }

  restart(start: UnitStart, options: RestartOptions): Promise<void> {
    return this.#inTurn(async () => {
      options.signal.throwIfAborted()
      await this.#look()
      // The machine may have brought it up since the agent found it missing.
      if (this.kept.record?.attempt === start.attempt) this.#findAgain()
      if (this.#runs(start.attempt)) return
      this.#isRestarting = true
      try {
        await this.#replaceBy(start, options)
      } finally {
        this.#isRestarting = false
      }
    })
  }

  /** It runs, and is ours to keep from now on. */
  adopt(start: Omit<UnitStart, 'layout' | 'program'>): Promise<void> {
    return this.#inTurn(async () => {
      await this.#look()
      const { start: words } = start.process
      const program = { file: words[0] ?? '', cwd: '/' }
      this.kept.write({
        ...this.#recordOf({ ...start, program }, {}),
        settled: true,
        started: true,
        log_from_us: 0,
      })
    })
  }

  get service(): string {
    return this.#control.service
  }

  settle(): void {
    const { record } = this.kept
    if (!record || record.settled) return
    this.kept.save({ settled: true })
    // It may have ended since it proved itself; a timer begins to count.
    this.#inBackground(() => this.#startMissing())
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
      if (this.kept.known.wanted === 'down')
        this.kept.save({ wanted: 'up', failed: false, since: this.#now() })
      await this.#control.put(this.kept.known.files)
      await this.#startMissing()
    })
  }

  remove(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.kept.record) return
      this.kept.save({ wanted: 'down' })
      await this.#control.remove(leftoverGraceMs)
      this.kept.remove()
    })
  }

  /** After systemd was asked about all units. */
  observe(facts: Parameters<SystemdKept['observe']>[0]): void {
    if (this.#isClosed) return
    const hasChanged = this.kept.observe(facts)
    this.#reviveGivenUp()
    if (!hasChanged) return
    this.#holdUnproven()
    this.#options.onChange()
  }

  close(): void {
    this.#isClosed = true
  }

  #runs(attempt: string): boolean {
    const { record, instance } = this.kept
    if (record?.attempt !== attempt || record.wanted === 'down') return false
    // An attempt that is not proven yet gets one process: the one that has ended is not tried again.
    return (
      record.timer || instance !== undefined || (record.started && !record.settled && this.#isOfThisBoot())
    )
  }

  async #replaceBy(start: UnitStart, { stopLimitMs, signal }: RestartOptions): Promise<void> {
    const files = await this.#control.prepare(start, stopLimitMs, this.kept.facts)
    // From here to `settle` the run says what is to run.
    if (this.kept.record?.settled) this.kept.save({ settled: false })
    await this.#control.end(stopLimitMs, signal)
    await this.#look()
    signal.throwIfAborted()
    this.kept.write(this.#recordOf(start, files))
    if (start.process.timer) this.kept.save({ started: true })
    else await this.#begin(signal)
  }

  #recordOf(start: Described, files: Record<string, string>): SystemdRecord {
    const { invocation } = this.kept.facts
    const now = this.#options.clock.now()
    return newSystemdRecord(start, files, { invocation, now, before: this.kept.record })
  }

  /** Written down before and after: killed in between, the next agent sees by the invocation whether it was begun. */
  async #begin(signal?: AbortSignal): Promise<void> {
    this.#held = undefined
    try {
      await this.#control.begin(this.kept.known, this.kept.facts, signal)
    } catch (error) {
      // Of what is proven systemd goes on to try it.
      if (!this.kept.known.settled) await this.#control.end(leftoverGraceMs)
      await this.#look()
      this.kept.note({ failed: true, since: this.#now() })
      throw error
    }
    await this.#look()
    const { invocation, pid } = this.kept.facts
    this.kept.note({ started: true, invocation, boot_id: bootId(), failed: false })
    this.#options.log.info({ pid }, 'started the process of the unit')
  }

  /** An uninstall takes the unit files away and leaves the records: what was wanted then is wanted still. */
  async #bringBack(): Promise<void> {
    if (this.kept.facts.loadState === 'not-found') await this.#control.put(this.kept.known.files)
    await this.#startMissing()
  }

  /** Settled and wanted: a timer waits for its time, everything else runs, or systemd is about to start it again. */
  async #startMissing(): Promise<void> {
    await this.#look()
    const { record, instance, facts } = this.kept
    if (record?.wanted !== 'up') return
    if (record.timer) return this.#control.beginTimer()
    if (instance || facts.subState === 'auto-restart') return this.#control.enable()
    await this.#begin()
  }

  #findAgain(): void {
    if (!this.#isOfThisBoot()) this.#adoptAfterBoot()
    this.#adoptStart()
  }

  /** It came up with the machine, without us: if it is what the attempt was to be, it is the attempt's. */
  #adoptAfterBoot(): void {
    const { known, facts, instance } = this.kept
    if (!instance || !this.#control.holds(known.files)) return
    this.kept.note({ started: true, invocation: facts.invocation, boot_id: bootId() })
    this.#options.log.info({ pid: instance.pid }, 'the unit came up with the machine')
  }

  /** The agent was killed after the start and before it could write that down. */
  #adoptStart(): void {
    const { known, facts } = this.kept
    if (known.started || !this.#isOfThisBoot()) return
    if (facts.invocation === '' || facts.invocation === known.invocation) return
    this.kept.note({ started: true, invocation: facts.invocation })
  }

  /**
   * systemd starts again whatever ends; an attempt that is not proven yet is kept from that, so that it is told and taken
   * back. Not where a passed socket would start it at the next connection.
   */
  #holdUnproven(): void {
    const { record, facts } = this.kept
    if (!record || record.timer || record.wanted === 'down' || record.settled || !record.started) return
    // Of another boot: what comes up in this one is no second try.
    if (!this.#isOfThisBoot()) return
    if (
      this.#isRestarting ||
      this.#turns.isBusy ||
      this.#control.hasSocket(facts) ||
      this.#held === record.attempt
    )
      return
    if (facts.pid !== null && facts.invocation === record.invocation) return
    this.#held = record.attempt
    this.kept.note({ failed: true, since: this.#now() })
    this.#inBackground(async () => {
      // It may have proven itself a moment before it ended.
      if (this.kept.record?.settled) return
      await this.#control.end(leftoverGraceMs)
      await this.#look()
    })
  }

  /** systemd gives up on what ends again and again; a database that was away for an hour must not be the end of it. */
  #reviveGivenUp(): void {
    const { record, facts } = this.kept
    if (record?.wanted !== 'up' || !record.settled || record.timer || this.#turns.isBusy) return
    if (facts.activeState !== 'failed' || facts.since === null) return
    if (this.#options.clock.now().getTime() - Date.parse(facts.since) < this.#options.reviveMs) return
    this.#options.log.warn({ result: facts.result }, 'systemd has given up on the unit; it is tried again')
    this.#inBackground(() => this.#begin())
  }

  async #end(limitMs: number): Promise<void> {
    await this.#control.putDown(limitMs)
    await this.#look()
  }

  async #look(): Promise<void> {
    this.kept.observe(await this.#control.facts())
  }

  #isOfThisBoot(): boolean {
    return this.kept.known.boot_id === bootId()
  }

  /** Nobody waits for it: what goes wrong is recorded. */
  #inBackground(work: () => Promise<void>): void {
    const record = (error: unknown) =>
      this.#options.log.error({ err: error }, 'the unit is not as it should be')
    this.#inTurn(async () => {
      if (!this.#isClosed) await work()
    }).catch(record)
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    try {
      await this.#turns.take(work)
    } finally {
      this.#holdUnproven()
      this.#options.onChange()
    }
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}
