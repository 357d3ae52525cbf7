/** Units as child processes: detached, so that they live on without the agent, and found again when it comes back. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { UnitLog } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { findTagged } from '../processes.ts'
import { type BackOffTimes, defaultBackOff } from './back-off.ts'
import { knownUnit, newRecord } from './known-unit.ts'
import { LogFile } from './log-file.ts'
import { Records } from './records.ts'
import type { KnownUnit, UnitEnd, UnitEngine, UnitStart } from './unit-engine.ts'
import { UnitLife } from './unit-life.ts'
import { endGroups, tagOfUnit } from './unit-process.ts'
import { type UnitRecord, unitRecord } from './unit-record.ts'

const defaultLogBytes = 5 * 1024 * 1024
const strayGraceMs = 3000

export interface ProcessUnitsOptions {
  /** The agent's directory. */
  readonly home: string
  readonly clock: Clock
  readonly log: Logger
  /** How long a unit's log may grow before its end is moved to `.1`. */
  readonly logBytes?: number
  readonly backOff?: BackOffTimes
  /** How often logs are measured and timers looked at. */
  readonly checkMs?: number
}

export class ProcessUnits implements UnitEngine {
  readonly name = 'process'
  readonly flags = { survives_restart: false, supervises_alone: false }
  /** Tells the processes of this home from those of another on the same machine. */
  readonly homeId: string
  readonly #options: ProcessUnitsOptions
  readonly #home: string
  readonly #records: Records<UnitRecord>
  readonly #units = new Map<string, UnitLife>()
  readonly #listeners = new Set<(project: string) => void>()
  readonly #checking: NodeJS.Timeout

  constructor(options: ProcessUnitsOptions) {
    this.#options = options
    mkdirSync(join(options.home, 'unit-logs'), { recursive: true, mode: 0o700 })
    this.#home = realpathSync(options.home)
    this.homeId = createHash('sha256').update(this.#home).digest('hex').slice(0, 12)
    this.#records = new Records(join(this.#home, 'units'), unitRecord, options.log)
    this.#checking = setInterval(() => this.#check(), options.checkMs ?? 1000)
    this.#checking.unref()
  }

  async recover(): Promise<void> {
    for (const record of this.#records.readAll()) this.#add(record.project, record.process, record)
    const tagged = findTagged(`${this.homeId}:unit:`)
    const recovered = [...this.#units].map(([name, unit]) =>
      unit
        .recover(tagged.filter(({ tag }) => tag.startsWith(`${this.homeId}:unit:${name}:`)))
        .catch(error =>
          this.#options.log.error({ err: error, unit: name }, 'the unit could not be found again'),
        ),
    )
    const unknown = tagged.filter(({ tag }) => !this.#units.has(tag.split(':')[2] ?? ''))
    const ended = await endGroups(unknown, strayGraceMs)
    if (ended.length > 0)
      this.#options.log.warn({ groups: ended }, 'ended processes of units that are not known')
    await Promise.all(recovered)
  }

  restart(start: UnitStart, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void> {
    const { project, process } = start
    return this.#unit(project.name, process.name).restart(newRecord(start), options)
  }

  settle(project: string, process: string): void {
    this.#unit(project, process).settle()
  }

  stop(project: string, process: string, options: { limitMs: number }): Promise<void> {
    return this.#unit(project, process).stop(options)
  }

  start(project: string, process: string): Promise<void> {
    return this.#unit(project, process).start()
  }

  async remove(project: string, process?: string): Promise<void> {
    const names = process ? [process] : this.list(project).map(({ name }) => name)
    await Promise.all(names.map(name => this.#unit(project, name).remove()))
  }

  list(project?: string): readonly KnownUnit[] {
    const known = [...this.#units.values()].flatMap(unit => knownUnit(unit) ?? [])
    return project === undefined ? known : known.filter(unit => unit.project === project)
  }

  async ended(project: string, process: string, signal: AbortSignal): Promise<UnitEnd> {
    return this.#unit(project, process).kept.ended(signal)
  }

  async log(project: string, process: string, from: number | null, lines: number): Promise<UnitLog> {
    const isWritten = this.#units.get(`${project}/${process}`)?.kept.isRunning ?? false
    return this.#logFile(project, process).read(from, lines, isWritten)
  }

  onChange(listener: (project: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    clearInterval(this.#checking)
    for (const unit of this.#units.values()) unit.close()
  }

  #unit(project: string, process: string): UnitLife {
    return this.#units.get(`${project}/${process}`) ?? this.#add(project, process)
  }

  /** Also for one that nobody has started yet: whatever is asked of a unit waits for its turn. */
  #add(project: string, process: string, record?: UnitRecord): UnitLife {
    const name = `${project}/${process}`
    const { clock, log, backOff = defaultBackOff } = this.#options
    const unit = new UnitLife(
      {
        name,
        tag: tagOfUnit(this.homeId, project, process),
        records: this.#records,
        logFile: this.#logFile(project, process),
        clock,
        log: log.child({ unit: name }),
        backOff,
        onChange: () => this.#changed(project),
      },
      record,
    )
    this.#units.set(name, unit)
    return unit
  }

  #logFile(project: string, process: string): LogFile {
    const path = join(this.#home, 'unit-logs', `${project}.${process}.log`)
    return new LogFile(path, this.#options.logBytes ?? defaultLogBytes)
  }

  #changed(project: string): void {
    for (const listener of this.#listeners) listener(project)
  }

  /** A unit that cannot be checked must not keep the others waiting. */
  #check(): void {
    for (const [name, unit] of this.#units) {
      try {
        unit.check()
      } catch (error) {
        this.#options.log.error({ err: error, unit: name }, 'the unit could not be checked')
      }
    }
  }
}
