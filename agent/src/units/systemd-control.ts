/** What is done to one unit by systemd: its files, and starting and stopping what they say. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { disableUnits, enableUnits, resetFailed, startUnits, stopUnits } from '../commands/systemctl.ts'
import type { Program } from '../runner.ts'
import { startFault } from './start-fault.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import type { UnitDirectory } from './systemd-directory.ts'
import { noFacts, type UnitFacts } from './systemd-facts.ts'
import { systemdFault } from './systemd-fault.ts'
import type { SystemdRecord } from './systemd-record.ts'
import { startInOrder, stopWithin } from './systemd-start-stop.ts'
import { type UnitFilesOptions, unitFiles } from './systemd-unit-files.ts'
import { provideUser } from './systemd-user.ts'
import type { UnitStart } from './unit-engine.ts'
import { UnwritableText } from './unit-file-quoting.ts'

export interface UnitControlOptions {
  /** Such as `hello/web`. */
  readonly title: string
  /** Such as `qd-hello`, without its kind. */
  readonly name: string
  readonly calls: SystemdCalls
  readonly directory: UnitDirectory
  readonly unitOptions: Pick<UnitFilesOptions, 'limits' | 'hidden'>
}

/** The same for every unit, whoever made it. */
export type Control = Pick<UnitControl, keyof UnitControl>

export class UnitControl {
  readonly service: string
  readonly #options: UnitControlOptions
  readonly #calls: SystemdCalls
  readonly #directory: UnitDirectory

  constructor(options: UnitControlOptions) {
    this.#options = options
    this.#calls = options.calls
    this.#directory = options.directory
    this.service = `${options.name}.service`
  }

  hasSocket(_facts: UnitFacts): boolean {
    return this.#files().includes(`${this.#options.name}.socket`)
  }

  /** Of the service, and whether systemd knows all of the unit's files as they are. */
  async facts(): Promise<UnitFacts> {
    const files = this.#files()
    const all = await this.#calls.facts(files.includes(this.service) ? files : [...files, this.service])
    const isKnown = [...all.values()].every(facts => facts.loadState === 'loaded' && !facts.needsReload)
    return { ...(all.get(this.service) ?? noFacts), needsReload: !isKnown }
  }

  holds(files: Readonly<Record<string, string>>): boolean {
    return this.#directory.holds(files)
  }

  /** User, data and files for what is to run. What runs now is not touched yet. */
  async prepare(start: UnitStart, stopLimitMs: number, known: UnitFacts): Promise<Record<string, string>> {
    const files = await this.#filesFor(start, stopLimitMs)
    await provideUser(this.#calls, start.layout)
    await this.put(files, known)
    return files
  }

  /** The files are there just so, and systemd knows them; those of ours that are no longer needed are gone. */
  async put(files: Readonly<Record<string, string>>, known = noFacts): Promise<void> {
    const changed = this.#directory.put(files)
    const former = this.#files().filter(file => !Object.hasOwn(files, file))
    // A socket or a timer does not take over what changed in its file while it is up.
    const stale = [...former, ...changed].filter(file => file !== this.service)
    if (stale.length > 0) await this.#calls.call(stopUnits(stale))
    if (former.length > 0) await this.#calls.call(disableUnits(former))
    for (const file of former) this.#directory.remove(file)
    const hasChanged = changed.length > 0 || former.length > 0
    if (hasChanged || known.loadState !== 'loaded' || known.needsReload) await this.#makeKnown(hasChanged)
  }

  /** Starts it, and has it come up with the machine. `before` is what systemd said of it last. */
  async begin(record: SystemdRecord, before: UnitFacts, signal?: AbortSignal): Promise<void> {
    // The socket before its service: systemd does not open it for one that runs already.
    const units = this.#files().filter(file => file.endsWith('.socket') || file === this.service)
    const { title } = this.#options
    const starting = { title, service: this.service, before, program: record.program }
    await startInOrder(this.#calls, units, starting, signal)
    await this.enable()
  }

  /** A timer that waits already keeps its times: a deploy does not put it off. */
  async beginTimer(): Promise<void> {
    await this.enable()
    await this.#calls.must(startUnits(this.#files().filter(file => file.endsWith('.timer'))))
  }

  /** A timer's service is started by its timer alone. */
  async enable(): Promise<void> {
    const files = this.#files()
    const starters = files.filter(file => file.endsWith('.timer') || file.endsWith('.socket'))
    const hasTimer = files.some(file => file.endsWith('.timer'))
    const wanted = hasTimer ? starters : [...starters, this.service]
    const missing = wanted.filter(file => !this.#directory.isEnabled(file))
    if (missing.length > 0) await this.#calls.must(enableUnits(missing))
  }

  /** Ends the process, with all that it started; sockets and timers stay. Resolves when nothing of it is left. */
  async end(limitMs: number, signal?: AbortSignal): Promise<void> {
    await stopWithin(this.#calls, this.service, [], limitMs, signal)
  }

  /** Ends it, and whatever could start it again: also after the next start of the machine. */
  async putDown(limitMs: number): Promise<void> {
    const files = this.#files()
    if (files.length > 0) await this.#calls.call(disableUnits(files))
    const others = files.filter(file => file !== this.service)
    await stopWithin(this.#calls, this.service, others, limitMs)
  }

  /** Stops it first. Drop-ins are the operator's, and stay. */
  async remove(limitMs: number): Promise<void> {
    await this.putDown(limitMs)
    const files = this.#files()
    await this.#calls.call(resetFailed(files))
    for (const file of files) this.#directory.remove(file)
    await this.#calls.reload()
  }

  async #filesFor(start: UnitStart, stopLimitMs: number): Promise<Record<string, string>> {
    const version = await this.#calls.version()
    const program = { ...start.program, file: found(start.program, this.#options.title) }
    try {
      return unitFiles({ ...start, program }, { ...this.#options.unitOptions, stopLimitMs, version })
    } catch (error) {
      if (!(error instanceof UnwritableText)) throw error
      throw new RunFault('restart_failed', `${this.#options.title}: ${error.message}.`, { cause: error })
    }
  }

  /** Also what an agent that was killed had written, and what an operator has edited. */
  async #makeKnown(hasChanged: boolean): Promise<void> {
    if (hasChanged) await this.#calls.reload()
    const facts = await this.#calls.facts(this.#files())
    if ([...facts.values()].some(({ needsReload }) => needsReload)) return this.#makeKnown(true)
    const own = facts.get(this.service) ?? noFacts
    if (own.loadState !== 'loaded')
      throw systemdFault(this.#options.title, this.service, { file: '', cwd: '' }, own)
  }

  /** Sockets and timers first: they would start again what is stopped. */
  #files(): string[] {
    return this.#directory.filesOf(this.#options.name)
  }
}

/** systemd does not look into the program's own PATH. */
function found(program: Program, title: string): string {
  const { file, env } = program
  if (file.includes('/')) return file
  const paths = (env.PATH ?? '').split(delimiter).filter(path => path.startsWith('/'))
  const there = paths.map(path => join(path, file)).find(path => existsSync(path))
  if (there) return there
  throw startFault(title, program, { code: 'ENOENT', message: '' })
}
