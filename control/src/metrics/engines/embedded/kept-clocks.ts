/** Keeps the clocks of `for` in the store, so that a restart in the middle of them loses nothing. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Store } from '#store'
import { type RuleState, ruleState } from './rule-state.ts'

const row = 'rules'
/** While something is pending or firing, how long ago it was last evaluated has to be known, too. */
const saveEveryMs = 30_000

export class KeptClocks {
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Logger
  #saved = ''
  #savedMs = -Infinity
  #saving: Promise<void> | undefined

  constructor({ store, clock, log }: { store: Store; clock: Clock; log: Logger }) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /** Undefined: none are kept, or none that can be read. */
  async read(): Promise<RuleState | undefined> {
    const kept = await this.#store.read(transaction =>
      transaction.selectFrom('metrics_state').select('state').where('name', '=', row).executeTakeFirst(),
    )
    if (!kept) return undefined
    try {
      return ruleState.parse(JSON.parse(kept.state))
    } catch (error) {
      this.#log.error(
        { err: error },
        'what was kept of the alert rules cannot be read: their clocks begin anew',
      )
      return undefined
    }
  }

  /** After an evaluation: what has changed is written, one write at a time; what fails is tried again after the next. */
  note(state: RuleState): void {
    const active = withAlerts(state)
    const shown = JSON.stringify(active.rules.map(({ evaluatedAtMs: _, ...rule }) => withoutValues(rule)))
    const nowMs = this.#clock.monotonicMs()
    const isDue = active.rules.length > 0 && nowMs - this.#savedMs >= saveEveryMs
    if (this.#saving || (shown === this.#saved && !isDue)) return
    this.#saving = this.#write(active)
      .then(() => {
        this.#saved = shown
        this.#savedMs = nowMs
      })
      .catch(error => this.#log.warn({ err: error }, 'the clocks of the alert rules could not be stored'))
      .finally(() => {
        this.#saving = undefined
      })
  }

  /** As it is at the end. */
  async close(state: RuleState): Promise<void> {
    await this.#saving
    await this.#write(withAlerts(state)).catch(error =>
      this.#log.warn({ err: error }, 'the clocks of the alert rules could not be stored'),
    )
  }

  async #write(state: RuleState): Promise<void> {
    const values = { state: JSON.stringify(state), updated_at: this.#clock.now().toISOString() }
    await this.#store.write(transaction =>
      transaction
        .insertInto('metrics_state')
        .values({ name: row, ...values })
        .onConflict(conflict => conflict.column('name').doUpdateSet(values))
        .execute(),
    )
  }
}

const withAlerts = ({ rules }: RuleState): RuleState => ({
  rules: rules.filter(({ alerts }) => alerts.length > 0),
})

/** A value that moves from one evaluation to the next is no reason to write. */
const withoutValues = ({ alerts, ...rule }: Omit<RuleState['rules'][number], 'evaluatedAtMs'>) => ({
  ...rule,
  alerts: alerts.map(({ value: _, annotations: __, ...alert }) => alert),
})
