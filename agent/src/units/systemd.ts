/** Units by systemd: they come up with the machine, live without the agent, and are confined. The agent runs as root. */
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { PlacedProject, UnitLog } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { run } from '../runner.ts'
import { AdoptedControl } from './adopted-control.ts'
import { foreignUnits } from './foreign-units.ts'
import { Lives } from './lives.ts'
import { Records } from './records.ts'
import { SystemdCalls } from './systemd-calls.ts'
import { type Control, UnitControl } from './systemd-control.ts'
import { UnitDirectory } from './systemd-directory.ts'
import { noFacts } from './systemd-facts.ts'
import { readLog } from './systemd-journal.ts'
import { systemdKnownUnit } from './systemd-known-unit.ts'
import { SystemdLife } from './systemd-life.ts'
import { unitName } from './systemd-names.ts'
import { type SystemdRecord, systemdRecord } from './systemd-record.ts'
import { defaultUnitLimits, type UnitLimits } from './systemd-unit-files.ts'
import type { ForeignUnits, KnownUnit, UnitEngine, UnitStart } from './unit-engine.ts'

export interface SystemdUnitsOptions {
  /** The agent's directory. */
  readonly home: string
  readonly clock: Clock
  readonly log: Logger
  /** Where unit files lie. */
  readonly unitDirectory?: string
  /** What no project may see, beside the home of the environment, which it never does. */
  readonly hidden?: readonly string[]
  readonly limits?: Partial<UnitLimits>
  /** How often systemd is asked about all units, and how often processes are looked for. */
  readonly checkMs?: number
  readonly watchMs?: number
  /** How long after systemd has given up on a proven unit it is tried again. */
  readonly reviveMs?: number
  readonly run?: typeof run
}

export class SystemdUnits extends Lives<SystemdLife> implements UnitEngine {
  readonly name = 'systemd'
  readonly flags = { survives_restart: true, supervises_alone: true }
  /** Tells this home from another on the same machine. */
  readonly homeId: string
  readonly #options: SystemdUnitsOptions
  readonly #records: Records<SystemdRecord>
  readonly #calls: SystemdCalls
  readonly #directory: UnitDirectory
  readonly #services = new Map<string, SystemdLife>()
  readonly #timers: NodeJS.Timeout[]
  #asking: Promise<void> | undefined

  constructor(options: SystemdUnitsOptions) {
    super()
    this.#options = options
    mkdirSync(options.home, { recursive: true, mode: 0o700 })
    const home = realpathSync(options.home)
    this.homeId = createHash('sha256').update(home).digest('hex').slice(0, 12)
    this.#records = new Records(join(home, 'systemd-units'), systemdRecord, options.log)
    this.#calls = new SystemdCalls(options.run ?? run, `${this.homeId}:systemd`)
    const { unitDirectory = '/etc/systemd/system', clock, log } = options
    this.#directory = new UnitDirectory(unitDirectory, clock, log)
    this.#timers = [
      setInterval(() => void this.#askAll(), options.checkMs ?? 1000).unref(),
      setInterval(() => this.#watch(), options.watchMs ?? 50).unref(),
    ]
  }

  async recover(): Promise<void> {
    for (const record of this.#records.readAll())
      this.add(record.project, record.process, record.adopted, record)
    const unknown = this.#directory.services().filter(service => !this.#services.has(service))
    if (unknown.length > 0)
      this.#options.log.warn({ units: unknown }, 'units of Quarterdeck’s that this agent does not know')
    await Promise.all(
      [...this.units].map(([name, unit]) =>
        unit
          .recover()
          .catch(error =>
            this.#options.log.error({ err: error, unit: name }, 'the unit could not be found again'),
          ),
      ),
    )
  }

  restart(start: UnitStart, options: { stopLimitMs: number; signal: AbortSignal }): Promise<void> {
    return this.#unitFor(start.project, start.process.name).restart(start, options)
  }

  async log(project: string, process: string, from: number | null, lines: number): Promise<UnitLog> {
    const nowUs = this.#options.clock.now().getTime() * 1000
    const { kept, service } = this.unit(project, process)
    const earliestUs = kept.record?.log_from_us ?? nowUs
    return readLog(this.#calls, { unit: service, from, lines, earliestUs, nowUs })
  }

  override close(): void {
    for (const timer of this.#timers) clearInterval(timer)
    super.close()
  }

  get foreign(): ForeignUnits {
    return {
      list: () =>
        foreignUnits(this.#calls, service => this.#services.get(service)?.kept.record?.project ?? null),
      take: (project, process) =>
        this.#unitFor(project, process.name).adopt({ project, process, attempt: 'adopted' }),
    }
  }

  /** A project that was removed may come back as an adopted one, or the other way round. */
  #unitFor({ name, adopted }: PlacedProject, process: string): SystemdLife {
    const there = this.units.get(`${name}/${process}`)
    const wanted = adopted?.units[process] ?? `${unitName(name, process)}.service`
    if (there?.service === wanted) return there
    if (there) this.#services.delete(there.service)
    return this.add(name, process, adopted?.units[process] ?? null)
  }

  protected add(
    project: string,
    process: string,
    adopted: string | null = null,
    record?: SystemdRecord,
  ): SystemdLife {
    const title = `${project}/${process}`
    const { clock, log, reviveMs = 60_000 } = this.#options
    const control = this.#control(project, process, adopted)
    const onChange = () => this.changed(project)
    const own = { name: title, records: this.#records, clock, log: log.child({ unit: title }) }
    const unit = new SystemdLife({ ...own, control, reviveMs, onChange }, record)
    this.units.set(title, unit)
    this.#services.set(control.service, unit)
    return unit
  }

  protected known(unit: SystemdLife): KnownUnit | undefined {
    return systemdKnownUnit(unit)
  }

  #control(project: string, process: string, adopted: string | null): Control {
    const own = { title: `${project}/${process}`, calls: this.#calls }
    if (adopted !== null) return new AdoptedControl({ ...own, service: adopted, directory: this.#directory })
    const { hidden = [], limits } = this.#options
    return new UnitControl({
      ...own,
      name: unitName(project, process),
      directory: this.#directory,
      unitOptions: { limits: { ...defaultUnitLimits, ...limits }, hidden },
    })
  }

  /** systemd tells nobody who does not speak D-Bus that a process ended: it is looked for. */
  #watch(): void {
    if ([...this.units.values()].some(unit => unit.kept.isGone && !unit.isRestarting)) void this.#askAll()
  }

  /** One question for all; while one is on its way, nobody asks another. */
  #askAll(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<void> {
    try {
      const known = [...this.#services].filter(([, unit]) => unit.kept.record !== undefined)
      const facts = await this.#calls.facts(known.map(([service]) => service))
      for (const [service, unit] of known) unit.observe(facts.get(service) ?? noFacts)
    } catch (error) {
      this.#options.log.error({ err: error }, 'systemd could not be asked about the units')
    }
  }
}
