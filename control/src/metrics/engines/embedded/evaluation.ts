/**
 * Evaluates each group of rules at its own times, one evaluation of a group at a time; what is late is left out and not made up
 * for. In between, new samples are reason enough, as long as that costs little: an alert is told when it is one, not up to an
 * interval later.
 */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { LoadedGroup, Rules } from './rules.ts'
import type { SeriesStore } from './series.ts'

/** Between two evaluations of a group, at least so many times what one takes: a small share of the processor, however many rules. */
const restPerCost = 20

export interface EvaluationOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly store: SeriesStore
  /** After each evaluation. */
  onEvaluated(atMs: number): void
}

export class Evaluation {
  readonly #options: EvaluationOptions
  #rules: Rules
  #due = new Map<LoadedGroup, number>()
  /** When each began last, in monotonic time, and how often there had been samples by then. */
  readonly #begun = new WeakMap<LoadedGroup, { readonly atMs: number; readonly samples: number }>()
  #samples = 0
  readonly #underWay = new Map<LoadedGroup, Promise<void>>()

  constructor(options: EvaluationOptions, rules: Rules) {
    this.#options = options
    this.#rules = rules
  }

  get rules(): Rules {
    return this.#rules
  }

  /** From now on these. Groups that were there before keep their times. */
  set(rules: Rules): void {
    const before = new Map([...this.#due].map(([group, dueMs]) => [keyOf(group), dueMs]))
    this.#rules = rules
    this.#due = new Map(
      rules.groups.flatMap(group => {
        const dueMs = before.get(keyOf(group))
        return dueMs === undefined ? [] : [[group, dueMs] as const]
      }),
    )
  }

  /** The clock was set by so much: groups keep their times. */
  move(ms: number): void {
    for (const [group, dueMs] of this.#due) this.#due.set(group, dueMs + ms)
    this.#rules.move(ms)
  }

  /** There are new samples. */
  sampled(): void {
    this.#samples++
  }

  /** Begins what is due. */
  tick(): void {
    const nowMs = this.#options.clock.now().getTime()
    for (const group of this.#rules.groups) {
      const dueMs = this.#due.get(group) ?? nowMs
      // A clock that was set back does not make anybody wait for more than an interval.
      const isDue = nowMs >= dueMs || dueMs - nowMs > group.intervalMs
      if (isDue) {
        const isOnTime = nowMs - dueMs < group.intervalMs && nowMs >= dueMs
        this.#due.set(group, (isOnTime ? dueMs : nowMs) + group.intervalMs)
      }
      if ((isDue || this.#hasNews(group)) && !this.#underWay.has(group)) this.#evaluate(group, nowMs)
    }
  }

  /** When what was begun is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  #hasNews(group: LoadedGroup): boolean {
    const begun = this.#begun.get(group)
    if (!begun) return true
    const restedMs = this.#options.clock.monotonicMs() - begun.atMs
    return this.#samples > begun.samples && restedMs > restPerCost * group.evaluationMs
  }

  #evaluate(group: LoadedGroup, atMs: number): void {
    const { clock, log, store, onEvaluated } = this.#options
    this.#begun.set(group, { atMs: clock.monotonicMs(), samples: this.#samples })
    const done = this.#rules
      .evaluate(group, store, atMs, clock)
      .then(() => onEvaluated(atMs))
      .catch(error => log.error({ err: error, group: group.name }, 'a group of rules could not be evaluated'))
      .finally(() => this.#underWay.delete(group))
    this.#underWay.set(group, done)
  }
}

const keyOf = ({ file, name, intervalMs }: LoadedGroup) => JSON.stringify([file, name, intervalMs])
