/** What is done to a unit that others have made: it is started and stopped, and its files are never touched. */
import { askEnabled, disableUnits, enableUnits } from '../commands/systemctl.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import type { Control } from './systemd-control.ts'
import type { UnitFacts } from './systemd-facts.ts'
import { systemdFault } from './systemd-fault.ts'
import type { SystemdRecord } from './systemd-record.ts'
import { startInOrder, stopWithin } from './systemd-start-stop.ts'

interface Options {
  /** Such as `hello/web`. */
  readonly title: string
  /** Such as `hello.service`. */
  readonly service: string
  readonly calls: SystemdCalls
}

export class AdoptedControl implements Control {
  readonly service: string
  readonly #title: string
  readonly #calls: SystemdCalls

  constructor({ title, service, calls }: Options) {
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
  async prepare(_start: unknown, _stopLimitMs: number, known: UnitFacts): Promise<Record<string, string>> {
    if (known.needsReload) await this.#calls.reload()
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

  /** It goes on as it is. */
  async remove(): Promise<void> {}
}
