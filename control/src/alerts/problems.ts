/** Which alerts belong together, and what happens to a problem when its alerts come, change and go. */
import { randomUUIDv7 } from 'node:crypto'
import type { Severity } from '@quarterdeck/contract'
import type { Events } from '#events'
import { bySystem } from '#http'
import type { Transaction } from '#store'
import { type Group, groupOf, keptLabels, type Labels, rankOfSeverity } from './labels.ts'
import {
  columnsOf,
  findProblem,
  type OpenAlerts,
  openAlerts,
  type ProblemRow,
  stateOf,
  timeOf,
  updateProblem,
} from './problem-row.ts'
import { type Change, changed, newProblem } from './problem-state.ts'
import type { AlertSettings } from './settings.ts'

/**
 * So many problems within a minute are a storm: from then on what is new is put together by its name alone, and if there
 * are as many names, all in one. Nobody reads ten thousand messages.
 */
const stormProblems = 20
const stormMs = 60_000

export class Problems {
  readonly #settings: AlertSettings
  readonly #events: Events

  constructor(settings: AlertSettings, events: Events) {
    this.#settings = settings
    this.#events = events
  }

  /** Collects what happens to problems in one transaction; `settle` writes it. */
  touching(transaction: Transaction, now: Date): Touched {
    return new Touched(transaction, now, this.#settings, this.#events)
  }
}

interface Touch {
  row: ProblemRow
  isNew: boolean
  started: boolean
  worst: Severity
  lost: boolean
  /** Some of its alerts have changed, and may be over. */
  isLess: boolean
}

export class Touched {
  readonly #transaction: Transaction
  readonly #now: Date
  readonly #settings: AlertSettings
  readonly #events: Events
  readonly #byKey = new Map<string, Touch>()
  readonly #byId = new Map<string, Touch>()
  readonly #changed = new Set<string>()
  #opened: number | undefined

  constructor(transaction: Transaction, now: Date, settings: AlertSettings, events: Events) {
    this.#transaction = transaction
    this.#now = now
    this.#settings = settings
    this.#events = events
  }

  /** The id of the problem that a new alert belongs to. */
  async problemFor(labels: Labels, severity: Severity, service: string | null): Promise<string> {
    const touch = await this.#touchFor(labels, service)
    touch.started = true
    if (rankOfSeverity(severity) < rankOfSeverity(touch.worst)) touch.worst = severity
    return touch.row.id
  }

  changed(problemId: string): void {
    this.#changed.add(problemId)
  }

  /** The sources of some of its alerts have fallen silent. */
  async lost(problemId: string): Promise<void> {
    const touch = await this.#touchById(problemId)
    if (touch) touch.lost = true
  }

  async settle(): Promise<void> {
    for (const id of this.#changed) {
      const touch = await this.#touchById(id)
      if (touch) touch.isLess = true
    }
    for (const touch of this.#byId.values()) await this.#settleOne(touch)
  }

  /** Counted only where some may be over: a problem can have ten thousand alerts, and grow by the hundred. */
  async #openNow({
    row,
    isNew,
    started,
    isLess,
    worst,
  }: Touch): Promise<Pick<OpenAlerts, 'open' | 'severity'>> {
    if (!started || isLess) return openAlerts(this.#transaction, row.id)
    const known = isNew || row.state !== 'open' ? 'info' : (row.severity as Severity)
    return { open: 1, severity: rankOfSeverity(worst) < rankOfSeverity(known) ? worst : known }
  }

  async #settleOne(touch: Touch): Promise<void> {
    const { row, isNew, started, worst, lost } = touch
    const { open, severity } = await this.#openNow(touch)
    const before = isNew ? newProblem : stateOf(row)
    const isUrgent = worst === 'critical' && row.told_severity !== 'critical'
    const change: Change =
      open === 0
        ? { what: 'ended' }
        : started
          ? { what: 'started', urgent: isUrgent }
          : { what: lost ? 'lost' : 'changed' }
    if (open === 0 && before.state === 'resolved') return
    const after = changed(before, change, this.#now.getTime(), this.#settings.timing)
    const columns = {
      ...columnsOf(after),
      severity: open === 0 ? row.severity : severity,
      ended_at: open === 0 ? this.#now.toISOString() : null,
    }
    if (isNew)
      await this.#transaction
        .insertInto('problem')
        .values({ ...row, ...columns })
        .execute()
    else await updateProblem(this.#transaction, row.id, columns)
    if (isNew || before.state !== after.state) await this.#tell({ ...row, ...columns })
  }

  #tell({ id, state, severity, group_labels }: ProblemRow): Promise<void> {
    return this.#events.append(this.#transaction, bySystem, {
      type: state === 'open' ? 'problem.opened' : 'problem.ended',
      subject: `problem/${id}`,
      data: { severity, labels: JSON.parse(group_labels) },
    })
  }

  async #touchFor(labels: Labels, service: string | null): Promise<Touch> {
    const wanted = groupOf(labels, this.#groupBy(labels))
    const known = await this.#known(wanted)
    if (known) return known
    if ((await this.#openedLately()) < stormProblems) return this.#open(wanted, service)
    const byName = groupOf(labels, ['alertname'])
    const together = (await this.#openedLately()) < 2 * stormProblems ? byName : groupOf(labels, [])
    return (await this.#known(byName)) ?? (await this.#known(together)) ?? this.#open(together, null)
  }

  /** What is about one channel is told to the others, so it is never put together with another one's. */
  #groupBy({ alertname }: Labels): readonly string[] {
    return alertname === 'ChannelFailing' ? ['alertname', 'channel'] : this.#settings.groupBy
  }

  async #known({ key }: Group): Promise<Touch | undefined> {
    const touched = this.#byKey.get(key)
    if (touched) return touched
    const back = timeOf(this.#now.getTime() - this.#settings.timing.reopenMs)
    const row = await this.#transaction
      .selectFrom('problem')
      .selectAll()
      .where('group_key', '=', key)
      .where(({ or, eb }) => or([eb('state', '=', 'open'), eb('ended_at', '>', back)]))
      .where('state', '!=', 'notice')
      .orderBy('state')
      .orderBy('opened_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && this.#touch(row, false)
  }

  #open({ key, labels }: Group, service: string | null): Touch {
    const now = this.#now.toISOString()
    this.#opened = (this.#opened ?? 0) + 1
    const row: ProblemRow = {
      ...columnsOf(newProblem),
      id: randomUUIDv7(),
      group_key: key,
      group_labels: JSON.stringify(keptLabels(labels)),
      severity: 'info',
      service,
      opened_at: now,
      ended_at: null,
      told_severity: null,
      muted: null,
    }
    return this.#touch(row, true)
  }

  async #touchById(id: string): Promise<Touch | undefined> {
    const known = this.#byId.get(id)
    if (known) return known
    const row = await findProblem(this.#transaction, id)
    return row && this.#touch(row, false)
  }

  #touch(row: ProblemRow, isNew: boolean): Touch {
    const known = this.#byId.get(row.id)
    if (known) return known
    const touch: Touch = { row, isNew, started: false, worst: 'info', lost: false, isLess: false }
    this.#byKey.set(row.group_key, touch)
    this.#byId.set(row.id, touch)
    return touch
  }

  async #openedLately(): Promise<number> {
    if (this.#opened !== undefined) return this.#opened
    const row = await this.#transaction
      .selectFrom('problem')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('state', '=', 'open')
      .where('opened_at', '>', timeOf(this.#now.getTime() - stormMs))
      .executeTakeFirst()
    this.#opened = Number(row?.count ?? 0)
    return this.#opened
  }
}
