/** Announced downtime: planned, moved, told more of, ended early, cancelled. */
import { randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type MaintenanceChange,
  type MaintenanceCreate,
  type MaintenanceEntry,
  type MaintenanceUpdateCreate,
} from '@quarterdeck/contract'
import type { Cursor, Origin, Paged } from '#http'
import type { Transaction } from '#store'
import { type NoticeOptions, NoticeRows } from '../notice-rows.ts'
import { currentOf, entryOf, type MaintenanceRow, storedOf } from './stored-maintenance.ts'

const dayMs = 86_400_000
/** So that one window is over before the next begins. */
const longestMs = { once: 90 * dayMs, weekly: 6 * dayMs, monthly: 27 * dayMs }

export interface MaintenancesOptions extends NoticeOptions {
  readonly timeZone: string
}

type Times = Pick<MaintenanceRow, 'starts_at' | 'ends_at' | 'repeat' | 'repeat_until'>

export class Maintenances {
  readonly #rows: NoticeRows<'maintenance'>
  readonly #timeZone: string

  constructor(options: MaintenancesOptions) {
    this.#rows = new NoticeRows('maintenance', options)
    this.#timeZone = options.timeZone
  }

  async plan(transaction: Transaction, origin: Origin, wanted: MaintenanceCreate): Promise<MaintenanceEntry> {
    const { name, impact, body, service_ids, ...times } = wanted
    this.#rows.refuseUnknown(service_ids)
    const now = this.#rows.now()
    const row: MaintenanceRow = {
      ...{ id: randomUUIDv7(), name, impact, service_ids: JSON.stringify(service_ids) },
      ...this.#checked(times),
      ...{ cancelled_at: null, created_at: now, updated_at: now },
    }
    await transaction.insertInto('maintenance').values(row).execute()
    if (body !== undefined)
      await this.#addUpdate(transaction, row.id, { body, window_at: null, status: null })
    await this.#rows.tell(transaction, origin, 'maintenance.planned', row.id, { name })
    return this.read(transaction, row.id)
  }

  async read(transaction: Transaction, id: string): Promise<MaintenanceEntry> {
    const [stored] = await storedOf(transaction, [await this.#rows.named(transaction, id)])
    return entryOf(stored!, this.#timeZone, this.#rows.nowMs())
  }

  /** Newest first. */
  async list(transaction: Transaction, cursor: Cursor): Promise<Paged<MaintenanceEntry>> {
    const { items, next_cursor } = await this.#rows.page(transaction, cursor)
    const stored = await storedOf(transaction, items)
    return { items: stored.map(one => entryOf(one, this.#timeZone, this.#rows.nowMs())), next_cursor }
  }

  async change(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { name, impact, service_ids, ...times }: MaintenanceChange,
  ): Promise<MaintenanceEntry> {
    const row = await this.#rows.named(transaction, id)
    this.#rows.refuseUnknown(service_ids ?? [], JSON.parse(row.service_ids) as string[])
    const isMoved = Object.keys(times).length > 0
    const moved: Times = {
      starts_at: times.starts_at ?? row.starts_at,
      ends_at: times.ends_at ?? row.ends_at,
      repeat: times.repeat === undefined ? row.repeat : times.repeat,
      repeat_until: times.repeat_until === undefined ? row.repeat_until : times.repeat_until,
    }
    const change: Partial<MaintenanceRow> = {
      ...(name !== undefined && { name }),
      ...(impact && { impact }),
      ...(service_ids && { service_ids: JSON.stringify(service_ids) }),
      ...(isMoved && this.#checked(moved)),
    }
    await this.#rows.set(transaction, id, change)
    await this.#rows.tell(transaction, origin, 'maintenance.changed', id, { changed: Object.keys(change) })
    return this.read(transaction, id)
  }

  /** About the window that is under way or next. */
  async update(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { status, body }: MaintenanceUpdateCreate,
  ): Promise<MaintenanceEntry> {
    const row = await this.#rows.named(transaction, id)
    const [stored] = await storedOf(transaction, [row])
    const current = currentOf(stored!, this.#timeZone, this.#rows.nowMs())
    const isUnderWay = current?.status === 'in_progress' || current?.status === 'verifying'
    if (!current || (status !== undefined && !isUnderWay))
      throw new Fault('notice_over', `No window of the maintenance ${row.name} is under way.`)
    await this.#addUpdate(transaction, id, { body, window_at: current.starts_at, status: status ?? null })
    await this.#rows.set(transaction, id, {})
    await this.#rows.tell(transaction, origin, 'maintenance.changed', id, { status: status ?? null })
    return this.read(transaction, id)
  }

  /** What was under way ends; what has been stays in the history. */
  async cancel(transaction: Transaction, origin: Origin, id: string): Promise<undefined> {
    const { name, cancelled_at } = await this.#rows.named(transaction, id)
    if (cancelled_at !== null) return
    await this.#rows.set(transaction, id, { cancelled_at: this.#rows.now() })
    await this.#rows.tell(transaction, origin, 'maintenance.cancelled', id, { name })
  }

  #checked({ starts_at, ends_at, repeat, repeat_until }: Times): Times {
    const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)]
    const longest = longestMs[(repeat ?? 'once') as keyof typeof longestMs]
    if (to <= from) throw wrong('ends_at', 'must be later than starts_at')
    if (to - from > longest) throw wrong('ends_at', `must be at most ${longest / dayMs} days after starts_at`)
    if (repeat === null && to <= this.#rows.nowMs()) throw wrong('ends_at', 'must lie in the future')
    // Stored times are all written alike, so that they compare as text.
    const iso = (time: string) => new Date(time).toISOString()
    return {
      ...{ starts_at: iso(starts_at), ends_at: iso(ends_at), repeat },
      repeat_until: repeat === null || repeat_until === null ? null : iso(repeat_until),
    }
  }

  async #addUpdate(
    transaction: Transaction,
    maintenance: string,
    said: { body: string; window_at: string | null; status: string | null },
  ): Promise<void> {
    const row = { id: randomUUIDv7(), maintenance, ...said, created_at: this.#rows.now() }
    await transaction.insertInto('maintenance_update').values(row).execute()
  }
}

const wrong = (field: string, message: string) =>
  new Fault('invalid_fields', `The times are not acceptable: ${field} ${message}.`, {
    fields: [{ field, message }],
  })
