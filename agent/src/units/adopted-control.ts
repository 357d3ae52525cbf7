/**
 * What is done to a unit that others have made: it is started and stopped, and its files are never touched. Variables of the
 * project get to it by a drop-in, once there are any.
 */
import { existsSync } from 'node:fs'
import { askEnabled, disableUnits, enableUnits } from '../commands/systemctl.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import type { Control } from './systemd-control.ts'
import type { UnitDirectory } from './systemd-directory.ts'
import type { UnitFacts } from './systemd-facts.ts'
import { systemdFault } from './systemd-fault.ts'
import type { SystemdRecord } from './systemd-record.ts'
import { startInOrder, stopWithin } from './systemd-start-stop.ts'
import type { UnitStart } from './unit-engine.ts'
import { unitText } from './unit-file.ts'
import { plainValue } from './unit-file-quoting.ts'

interface Options {
  /** Such as `hello/web`. */
  readonly title: string
  /** Such as `hello.service`. */
  readonly service: string
  readonly calls: SystemdCalls
  readonly directory: UnitDirectory
}

export class AdoptedControl implements Control {
  readonly service: string
  readonly #title: string
  readonly #calls: SystemdCalls
  readonly #directory: UnitDirectory

  constructor({ title, service, calls, directory }: Options) {
    this.#directory = directory
    this.#title = title
    this.service = service
    this.#calls = calls
  }

  hasSocket({ triggers }: UnitFacts): boolean {
    return triggers.some(unit => unit.endsWith('.socket'))
  }

  facts(): Promise<UnitFacts> {
    return this.#calls.factsOf(this.service)
  }

  /** They are not ours to compare. */
  holds(): boolean {
    return true
  }

  /** What its owner has changed in it counts from the next start on. */
  async prepare(start: UnitStart, _stopLimitMs: number, known: UnitFacts): Promise<Record<string, string>> {
    const changed = this.#directory.put(this.#dropIn(start))
    if (known.needsReload || changed.length > 0) await this.#calls.reload()
    await this.put()
    return {}
  }

  async put(): Promise<void> {
    const facts = await this.facts()
    if (facts.loadState !== 'loaded')
      throw systemdFault(this.#title, this.service, { file: '', cwd: '' }, facts)
  }

  async begin(record: SystemdRecord, before: UnitFacts, signal?: AbortSignal): Promise<void> {
    const starting = { title: this.#title, service: this.service, before, program: record.program }
    await startInOrder(this.#calls, [...before.triggers, this.service], starting, signal)
    await this.enable()
  }

  async beginTimer(): Promise<void> {
    throw new Error('an adopted unit has no timer of ours')
  }

  /** One that nothing could enable is started by others, and stays so. */
  async enable(): Promise<void> {
    const { stdout } = await this.#calls.call(askEnabled(this.service))
    if (stdout.trim() === 'disabled') await this.#calls.call(enableUnits([this.service]))
  }

  async end(limitMs: number, signal?: AbortSignal): Promise<void> {
    await stopWithin(this.#calls, this.service, [], limitMs, signal)
  }

  async putDown(limitMs: number): Promise<void> {
    const { triggers } = await this.facts()
    await this.#calls.call(disableUnits([...triggers, this.service]))
    await stopWithin(this.#calls, this.service, triggers, limitMs)
  }

  /** It goes on as it is, with the variables that it has. */
  async remove(): Promise<void> {}

  #dropIn({ environmentFiles = [] }: UnitStart): Record<string, string> {
    const files = environmentFiles.filter(file => existsSync(file))
    if (files.length === 0) return {}
    const name = `${this.service}.d/quarterdeck.conf`
    const directives = files.map(file => ['EnvironmentFile', `-${plainValue(file)}`] as const)
    return { [name]: unitText(name, [{ name: 'Service', directives }]) }
  }
}
