/** Heartbeats that are expected here: whoever falls silent is an alert, which the next sign of life ends. */
import { Fault, type Heartbeat, type HeartbeatSet, type Severity } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Tables, Transaction } from '#store'
import { timeOf } from './problem-row.ts'
import type { Reported, Source } from './take.ts'

type HeartbeatRow = Tables['heartbeat']

const heartbeatSource: Source = { name: 'heartbeats', leaseMs: null }
const batch = 100

export interface HeartbeatsOptions {
  events: Events
  clock: Clock
  take(transaction: Transaction, source: Source, alerts: readonly Reported[]): Promise<unknown>
}

export class Heartbeats {
  readonly #options: HeartbeatsOptions

  constructor(options: HeartbeatsOptions) {
    this.#options = options
  }

  /** From now on, or with other times: the time begins anew. */
  async set(
    transaction: Transaction,
    origin: Origin,
    name: string,
    wanted: HeartbeatSet,
  ): Promise<Heartbeat> {
    const now = this.#options.clock.now().getTime()
    const before = await find(transaction, name)
    const due_at = dueAt(now, wanted)
    if (before?.missing === 1) await this.#end(transaction, before)
    await transaction
      .insertInto('heartbeat')
      .values({ name, ...wanted, last_at: null, due_at, missing: 0, created_at: timeOf(now) })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ ...wanted, due_at, missing: 0 }))
      .execute()
    const { events } = this.#options
    await events.append(transaction, origin, {
      type: 'heartbeat.set',
      subject: `heartbeat/${name}`,
      data: { ...wanted },
    })
    return shown((await find(transaction, name))!)
  }

  async beat(transaction: Transaction, name: string): Promise<void> {
    const row = await this.#named(transaction, name)
    const now = this.#options.clock.now().getTime()
    if (row.missing === 1) await this.#end(transaction, row)
    await transaction
      .updateTable('heartbeat')
      .set({ last_at: timeOf(now), due_at: dueAt(now, row), missing: 0 })
      .where('name', '=', name)
      .execute()
  }

  async remove(transaction: Transaction, origin: Origin, name: string): Promise<void> {
    const row = await this.#named(transaction, name)
    if (row.missing === 1) await this.#end(transaction, row)
    await transaction.deleteFrom('heartbeat').where('name', '=', name).execute()
    const subject = `heartbeat/${name}`
    await this.#options.events.append(transaction, origin, { type: 'heartbeat.removed', subject })
  }

  async list(transaction: Transaction, { limit, after }: Cursor): Promise<Paged<Heartbeat>> {
    let query = transaction
      .selectFrom('heartbeat')
      .selectAll()
      .orderBy('name')
      .limit(limit + 1)
    if (after !== undefined) query = query.where('name', '>', after)
    return pageOf(await query.execute(), limit, ({ name }) => name, shown)
  }

  /** Those whose time is over become alerts. */
  async missed(transaction: Transaction, now: Date): Promise<void> {
    const rows = await transaction
      .selectFrom('heartbeat')
      .selectAll()
      .where('missing', '=', 0)
      .where('due_at', '<=', now.toISOString())
      .limit(batch)
      .execute()
    if (rows.length === 0) return
    const names = rows.map(({ name }) => name)
    await transaction.updateTable('heartbeat').set({ missing: 1 }).where('name', 'in', names).execute()
    await this.#options.take(transaction, heartbeatSource, rows.map(alertOf))
  }

  /** We were not there to hear: what came due meanwhile may have come. */
  async afterAbsence(transaction: Transaction, now: Date): Promise<void> {
    await this.#anew(transaction, now, now.toISOString())
  }

  /** The clock was set: everybody gets their time anew. */
  async afterJump(transaction: Transaction, now: Date): Promise<void> {
    await this.#anew(transaction, now, undefined)
  }

  async #anew(transaction: Transaction, now: Date, dueBefore: string | undefined): Promise<void> {
    let query = transaction.selectFrom('heartbeat').selectAll().where('missing', '=', 0)
    if (dueBefore !== undefined) query = query.where('due_at', '<=', dueBefore)
    for (const row of await query.execute()) {
      const due_at = dueAt(now.getTime(), row)
      await transaction.updateTable('heartbeat').set({ due_at }).where('name', '=', row.name).execute()
    }
  }

  #end(transaction: Transaction, row: HeartbeatRow): Promise<unknown> {
    const endsAt = this.#options.clock.now().toISOString()
    return this.#options.take(transaction, heartbeatSource, [{ ...alertOf(row), endsAt }])
  }

  async #named(transaction: Transaction, name: string): Promise<HeartbeatRow> {
    const row = await find(transaction, name)
    if (!row)
      throw new Fault('not_found', `No heartbeat ${name} is expected: \`qd heartbeat set ${name}\` sets one.`)
    return row
  }
}

const find = (transaction: Transaction, name: string): Promise<HeartbeatRow | undefined> =>
  transaction.selectFrom('heartbeat').selectAll().where('name', '=', name).executeTakeFirst()

const dueAt = (ms: number, { every_s, grace_s }: HeartbeatSet | HeartbeatRow) =>
  timeOf(ms + (every_s + grace_s) * 1000)

const alertOf = ({ name, severity, last_at, every_s }: HeartbeatRow): Reported => ({
  labels: { alertname: 'HeartbeatMissing', job: name, severity },
  annotations: {
    summary: `${name} gives no sign of life`,
    description: `One is expected every ${every_s} s; ${last_at ? `the last came at ${last_at}` : 'none has come yet'}.`,
  },
})

const shown = (row: HeartbeatRow): Heartbeat => ({
  name: row.name,
  every_s: row.every_s,
  grace_s: row.grace_s,
  severity: row.severity as Severity,
  last_at: row.last_at,
  due_at: row.due_at,
  state: row.missing === 1 ? 'missing' : row.last_at === null ? 'waiting' : 'ok',
  created_at: row.created_at,
})
