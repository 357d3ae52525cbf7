/** Maintenances as they are stored, and as they are at a moment. */
import type { Maintenance, MaintenanceEntry, MaintenanceStatus, Repeat } from '@quarterdeck/contract'
import type { Tables, Transaction } from '#store'
import { type Plan, type Window, windowAt, windowBefore, windowsIn } from './windows.ts'

export type MaintenanceRow = Tables['maintenance']
type UpdateRow = Tables['maintenance_update']

/** With what was told of it, newest first. */
export interface StoredMaintenance {
  readonly row: MaintenanceRow
  readonly updates: readonly UpdateRow[]
}

export async function storedOf(
  transaction: Transaction,
  rows: readonly MaintenanceRow[],
): Promise<StoredMaintenance[]> {
  if (rows.length === 0) return []
  const updates = await transaction
    .selectFrom('maintenance_update')
    .selectAll()
    .where(
      'maintenance',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('id', 'desc')
    .execute()
  const byMaintenance = Map.groupBy(updates, ({ maintenance }) => maintenance)
  return rows.map(row => ({ row, updates: byMaintenance.get(row.id) ?? [] }))
}

export const planOf = (row: MaintenanceRow, timeZone: string): Plan => ({
  first: { from: Date.parse(row.starts_at), to: Date.parse(row.ends_at) },
  repeat: row.repeat as Repeat | null,
  until: row.repeat_until === null ? Number.POSITIVE_INFINITY : Date.parse(row.repeat_until),
  cancelled: row.cancelled_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.cancelled_at),
  timeZone,
})

/** In its window that is under way or next; undefined: all are over. One that ended early counts until its end was due. */
export function currentOf(stored: StoredMaintenance, timeZone: string, now: number): Maintenance | undefined {
  const window = windowAt(planOf(stored.row, timeZone), now)
  return window && inWindow(stored, window, now)
}

/** The same, else in its last window; undefined: it was cancelled before there was any. */
export function latestOf(stored: StoredMaintenance, timeZone: string, now: number): Maintenance | undefined {
  const plan = planOf(stored.row, timeZone)
  const window = windowAt(plan, now) ?? windowBefore(plan, now)
  return window && inWindow(stored, window, now)
}

/** What has been, in the windows that began in a span. */
export const pastOf = (
  stored: StoredMaintenance,
  timeZone: string,
  span: Window,
  now: number,
): Maintenance[] =>
  windowsIn(planOf(stored.row, timeZone), { ...span, to: Math.min(span.to, now) }).map(window =>
    inWindow(stored, window, now),
  )

export function entryOf(stored: StoredMaintenance, timeZone: string, now: number): MaintenanceEntry {
  const { row } = stored
  const plan = planOf(row, timeZone)
  const window = windowAt(plan, now) ?? windowBefore(plan, now) ?? plan.first
  const { repeat, repeat_until, cancelled_at, created_at, updated_at } = row
  return {
    ...inWindow(stored, window, now),
    ...{ repeat: repeat as Repeat | null, repeat_until, cancelled_at, created_at, updated_at },
    ...{ first_starts_at: row.starts_at, first_ends_at: row.ends_at },
  }
}

export function inWindow({ row, updates }: StoredMaintenance, window: Window, now: number): Maintenance {
  const at = new Date(window.from).toISOString()
  const own = updates.filter(({ window_at }) => window_at === null || window_at === at)
  const said = own.find(({ window_at, status }) => window_at === at && status !== null)
  const status = statusIn(window, now, said?.status as MaintenanceStatus | undefined)
  const end = said?.status === 'completed' ? Date.parse(said.created_at) : window.to
  return {
    ...{ id: row.id, name: row.name, status, impact: row.impact as Maintenance['impact'] },
    ...{ starts_at: at, ends_at: new Date(end).toISOString() },
    service_ids: JSON.parse(row.service_ids) as string[],
    updates: own.map(({ id, status, body, created_at }) => ({
      ...{ id, status: (status ?? 'scheduled') as MaintenanceStatus, body, created_at },
    })),
  }
}

function statusIn({ from, to }: Window, now: number, said: MaintenanceStatus | undefined): MaintenanceStatus {
  if (now >= to || said === 'completed') return 'completed'
  if (now < from) return 'scheduled'
  return said ?? 'in_progress'
}
