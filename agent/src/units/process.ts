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
import { Lives } from './lives.ts'
import { LogFile } from './log-file.ts'
import { Records } from './records.ts'
import type { KnownUnit, UnitEngine, UnitStart } from './unit-engine.ts'
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

export class ProcessUnits extends Lives<UnitLife> implements UnitEngine {
  readonly name = 'process'
  readonly flags = { survives_restart: false, supervises_alone: false }
  /** Tells the processes of this home from those of another on the same machine. */
  readonly homeId: string
  readonly #options: ProcessUnitsOptions
  readonly #home: string
  readonly #records: Records<UnitRecord>
  readonly #checking: NodeJS.Timeout

  constructor(options: ProcessUnitsOptions) {
    super()
    this.#options = options
    mkdirSync(join(options.home, 'unit-logs'), { recursive: true, mode: 0o700 })
    this.#home = realpathSync(options.home)
    this.homeId = createHash('sha256').update(this.#home).digest('hex').slice(0, 12)
    this.#records = new Records(join(this.#home, 'units'), unitRecord, options.log)
    this.#checking = setInterval(() => this.#check(), options.checkMs ?? 1000)
    this.#checking.unref()
  }

  async recover(): Promise<void> {
    for (const record of this.#records.readAll()) this.add(record.project, record.process, record)
    const tagged = findTagged(`${this.homeId}:unit:`)
    const recovered = [...this.units].map(([name, unit]) =>
      unit
        .recover(tagged.filter(({ tag }) => tag.startsWith(`${this.homeId}:unit:${name}:`)))
        .catch(error =>
          this.#options.log.error({ err: error, unit: name }, 'the unit could not be found again'),
        ),
    )
    const unknown = tagged.filter(({ tag }) => !this.units.has(tag.split(':')[2] ?? ''))
    const ended = await endGroups(unknown, strayGraceMs)
    if (ended.length > 0)
      this.#options.log.warn({ groups: ended }, 'ended processes of units that are not known')
    await Promise.all(recovered)
  }

  restart(start: UnitStart, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void> {
    const { project, process } = start
    return this.unit(project.name, process.name).restart(newRecord(start), options)
  }

  async log(project: string, process: string, from: number | null, lines: number): Promise<UnitLog> {
    const isWritten = this.units.get(`${project}/${process}`)?.kept.isRunning ?? false
    return this.#logFile(project, process).read(from, lines, isWritten)
  }

  override close(): void {
    clearInterval(this.#checking)
    super.close()
  }

  protected add(project: string, process: string, record?: UnitRecord): UnitLife {
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
        onChange: () => this.changed(project),
      },
      record,
    )
    this.units.set(name, unit)
    return unit
  }

  protected known(unit: UnitLife): KnownUnit | undefined {
    return knownUnit(unit)
  }

  #logFile(project: string, process: string): LogFile {
    const path = join(this.#home, 'unit-logs', `${project}.${process}.log`)
    return new LogFile(path, this.#options.logBytes ?? defaultLogBytes)
  }

  /** A unit that cannot be checked must not keep the others waiting. */
  #check(): void {
    for (const [name, unit] of this.units) {
      try {
        unit.check()
      } catch (error) {
        this.#options.log.error({ err: error, unit: name }, 'the unit could not be checked')
      }
    }
  }
}
