/** A unit's record and what systemd says of it, kept side by side: who waits for the end of a process waits here. */
import { RunFault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { startTimeOf } from '../processes.ts'
import { orAborted } from './or-aborted.ts'
import type { Records } from './records.ts'
import { noFacts, type UnitFacts } from './systemd-facts.ts'
import type { SystemdRecord } from './systemd-record.ts'
import type { UnitEnd } from './unit-engine.ts'

export interface SystemdKeptOptions {
  /** Such as `hello/web`. */
  readonly name: string
  readonly records: Records<SystemdRecord>
  readonly clock: Clock
  readonly log: Logger
}

interface Instance {
  readonly id: string
  readonly pid: number
  readonly startTime: number | undefined
  readonly ended: PromiseWithResolvers<UnitEnd>
}

const unseen: UnitEnd = { code: null, signal: null }

export class SystemdKept {
  readonly #options: SystemdKeptOptions
  #record: SystemdRecord | undefined
  #facts = noFacts
  #instance: Instance | undefined
  #lastEnd = unseen

  constructor(options: SystemdKeptOptions, record: SystemdRecord | undefined) {
    this.#options = options
    this.#record = record
  }

  /** Undefined: never started here, or removed. */
  get record(): SystemdRecord | undefined {
    return this.#record
  }

  get known(): SystemdRecord {
    if (this.#record) return this.#record
    throw new RunFault('restart_failed', `${this.#options.name} was never deployed on this machine.`)
  }

  get facts(): UnitFacts {
    return this.#facts
  }

  get instance(): Instance | undefined {
    return this.#instance
  }

  /** It has ended, and systemd may not have said so yet. */
  get isGone(): boolean {
    const { pid, startTime } = this.#instance ?? {}
    return pid !== undefined && (startTime === undefined || startTimeOf(pid) !== startTime)
  }

  /** Throws if it does not get to the disk, and has then changed nothing. */
  write(record: SystemdRecord): void {
    this.#options.records.write(record)
    this.#record = record
  }

  save(patch: Partial<SystemdRecord>): void {
    this.write({ ...this.known, ...patch })
  }

  /** It has happened, whether or not the disk takes it. After a crash, what is really there counts anyway. */
  note(patch: Partial<SystemdRecord>): void {
    try {
      this.save(patch)
    } catch (error) {
      this.#record = { ...this.known, ...patch }
      this.#options.log.error({ err: error }, 'the record of the unit could not be written')
    }
  }

  remove(): void {
    this.#options.records.remove(this.known)
    this.#record = undefined
  }

  /** True if something has changed that others see. */
  observe(facts: UnitFacts): boolean {
    const before = this.#facts
    this.#facts = facts
    const id = facts.pid === null ? undefined : `${facts.invocation}:${facts.pid}`
    if (facts.end && facts.invocation !== '') this.#lastEnd = facts.end
    if (id !== this.#instance?.id) this.#change(before, facts, id)
    return before.activeState !== facts.activeState || before.pid !== facts.pid
  }

  async ended(signal: AbortSignal): Promise<UnitEnd> {
    signal.throwIfAborted()
    return this.#instance ? orAborted(this.#instance.ended.promise, signal) : this.#lastEnd
  }

  /** If another one runs already, nobody saw how the former ended. */
  #change(before: UnitFacts, facts: UnitFacts, id: string | undefined): void {
    const former = this.#instance
    if (former) {
      const end = (before.invocation === facts.invocation && facts.end) || unseen
      this.#lastEnd = end
      this.#options.log.info({ pid: former.pid, ...end }, 'the process of the unit ended')
      former.ended.resolve(end)
    }
    this.#instance =
      id === undefined
        ? undefined
        : { id, pid: facts.pid!, startTime: startTimeOf(facts.pid!), ended: Promise.withResolvers() }
  }
}
