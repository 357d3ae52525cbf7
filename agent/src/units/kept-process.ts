/**
 * A unit's record and its process, kept in step: the record is on disk before a process is started, so that whenever the
 * agent is killed, the next one finds it.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { RunFault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { bootId } from '../processes.ts'
import { readEnvironmentText } from '../variables/environment-file.ts'
import type { LogFile } from './log-file.ts'
import { orAborted } from './or-aborted.ts'
import type { Records } from './records.ts'
import { startFault } from './start-fault.ts'
import type { UnitEnd } from './unit-engine.ts'
import { endProcess, endTagged, isAlive, startProcess, type UnitProcess } from './unit-process.ts'
import { noProcess, type UnitRecord } from './unit-record.ts'

export interface KeptProcessOptions {
  /** Such as `hello/web`. */
  readonly name: string
  /** The start of its processes' tags. */
  readonly tag: string
  readonly records: Records<UnitRecord>
  readonly logFile: LogFile
  readonly clock: Clock
  readonly log: Logger
}

export class KeptProcess {
  readonly #options: KeptProcessOptions
  readonly #onEnded: (process: UnitProcess, livedMs: number) => void
  #record: UnitRecord | undefined
  #process: UnitProcess | undefined
  #lastEnd: UnitEnd = { code: null, signal: null }
  #isEnding = false
  #isForgotten = false

  /** `onEnded` hears of every end but those that `end` has brought about. */
  constructor(
    options: KeptProcessOptions,
    record: UnitRecord | undefined,
    onEnded: (process: UnitProcess, livedMs: number) => void,
  ) {
    this.#options = options
    this.#record = record
    this.#onEnded = onEnded
  }

  /** Undefined: never started here, or removed. */
  get record(): UnitRecord | undefined {
    return this.#record
  }

  get known(): UnitRecord {
    if (this.#record) return this.#record
    throw new RunFault('restart_failed', `${this.#options.name} was never deployed on this machine.`)
  }

  get isRunning(): boolean {
    return this.#process !== undefined
  }

  /** Really, and not only as far as we have heard. */
  get isAlive(): boolean {
    return this.#process !== undefined && isAlive(this.#process)
  }

  /** Throws if it does not get to the disk, and has then changed nothing. */
  write(record: UnitRecord): void {
    this.#options.records.write(record)
    this.#record = record
  }

  save(patch: Partial<UnitRecord>): void {
    this.write({ ...this.known, ...patch })
  }

  /** Starts what the record says, which is from now on the unit's. */
  async spawn(record: UnitRecord): Promise<void> {
    const { name, tag, logFile, log } = this.#options
    const instance = randomUUID()
    this.write({ ...record, ...noProcess, started: false, instance, boot_id: bootId() })
    try {
      const program = withEnvironment(record)
      logFile.bound()
      logFile.endLine()
      const process = await startProcess(program, { instance, unitTag: tag, logFile: logFile.path })
      const { pid, startTime = null } = process
      this.#note({ pid, start_time: startTime, started: true, failed: false, since: this.#now() })
      this.watch(process)
      log.info({ pid }, 'started the process of the unit')
    } catch (error) {
      this.#note({ ...noProcess, failed: true, since: this.#now() })
      throw startFault(name, record.program, error)
    }
  }

  watch(process: UnitProcess): void {
    this.#process = process
    void process.ended.then(end => this.#hasEnded(process, end))
  }

  /** Ends it, its group, and whatever else of the unit there is. */
  async end(limitMs: number): Promise<void> {
    const process = this.#process
    this.#isEnding = true
    // Watching a process does not keep the agent from ending; ending one does.
    const awake = setInterval(() => undefined, 1000)
    try {
      if (process) await endProcess(process, limitMs)
      await endTagged(this.#options.tag, limitMs)
      await process?.ended
    } finally {
      clearInterval(awake)
      this.#isEnding = false
    }
  }

  async ended(signal: AbortSignal): Promise<UnitEnd> {
    signal.throwIfAborted()
    if (!this.#process) return this.#lastEnd
    return orAborted(this.#process.ended, signal)
  }

  remove(): void {
    this.#options.records.remove(this.known)
    this.#options.logFile.remove()
    this.#record = undefined
  }

  /** Nothing is written any more; the process lives on. */
  forget(): void {
    this.#isForgotten = true
    this.#process?.forget()
  }

  #hasEnded(process: UnitProcess, end: UnitEnd): void {
    if (this.#isForgotten || this.#process !== process) return
    const livedMs = this.#options.clock.now().getTime() - Date.parse(this.known.since ?? '')
    const failed = (end.code ?? 0) !== 0 || end.signal !== null
    this.#process = undefined
    this.#lastEnd = end
    this.#note({ ...noProcess, failed, since: this.#now() })
    if (this.#isEnding) return
    this.#options.log.info({ pid: process.pid, ...end }, 'the process of the unit ended')
    this.#onEnded(process, livedMs)
  }

  /** It has happened, whether or not the disk takes it. After a crash, what is really there counts anyway. */
  #note(patch: Partial<UnitRecord>): void {
    try {
      this.save(patch)
    } catch (error) {
      this.#record = { ...this.known, ...patch }
      this.#options.log.error({ err: error }, 'the record of the unit could not be written')
    }
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}

function withEnvironment({ program, environment_files }: UnitRecord): UnitRecord['program'] {
  const read = environment_files.map(file => readEnvironmentText(textOf(file)))
  return { ...program, env: Object.assign({}, program.env, ...read) }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
