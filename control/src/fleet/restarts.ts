/**
 * Which projects are being restarted on purpose, told from what goes to their machines and comes back. A service that does
 * not answer then is not out of order; one that takes longer than its limits is.
 */
import { actLimitS, type FromAgent, type PlacedProject, type ToAgent } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'

interface Expected {
  readonly instance: string
  readonly limitMs: number
  /** The old build may be gone. */
  hasBegun: boolean
}

export class Restarts {
  readonly #clock: Clock
  /** By the id of a run or a question. */
  readonly #expected = new Map<string, Expected>()
  /** Until when, at the latest, in monotonic time. */
  readonly #limits = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  isUnderWay(machine: string, project: string): boolean {
    const limit = this.#limits.get(instanceOf(machine, project))
    return limit !== undefined && this.#clock.monotonicMs() < limit
  }

  sent(machine: string, message: ToAgent): void {
    if (message.type === 'run') this.#expect(machine, message.order.id, message.order.project)
    if (message.type !== 'ask' || message.question.what !== 'act') return
    const { action, project } = message.question
    // Whoever stops a service wants it to be seen.
    if (action === 'stop') this.#limits.delete(instanceOf(machine, project.name))
    else this.#begin(this.#expect(machine, message.id, project))
  }

  heard(message: FromAgent): void {
    if (message.type === 'run_progress') {
      const { run_id, steps } = message.progress
      const expected = this.#expected.get(run_id)
      const isRestarting = steps.some(({ name, status }) => name === 'restart' && status !== 'pending')
      if (expected && isRestarting) this.#begin(expected)
    }
    if (message.type === 'run_ended') this.ended(message.progress.run_id)
  }

  /** Of a run or a question. */
  ended(id: string): void {
    const expected = this.#expected.get(id)
    this.#expected.delete(id)
    if (expected?.hasBegun) this.#limits.delete(expected.instance)
  }

  #expect(machine: string, id: string, project: PlacedProject): Expected {
    const known = this.#expected.get(id)
    if (known) return known
    const expected = {
      instance: instanceOf(machine, project.name),
      limitMs: actLimitS(project) * 1000,
      hasBegun: false,
    }
    this.#expected.set(id, expected)
    return expected
  }

  #begin(expected: Expected): void {
    if (expected.hasBegun) return
    expected.hasBegun = true
    this.#limits.set(expected.instance, this.#clock.monotonicMs() + expected.limitMs)
  }
}

const instanceOf = (machine: string, project: string) => `${project}@${machine}`
