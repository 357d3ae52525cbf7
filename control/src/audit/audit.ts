/** Who did what: the first reader of the event stream, with a memory of its own that outlasts the stream's. */
import { type AuditEntry, type EventType, eventTypes } from '@quarterdeck/contract'
import type { EventReader } from '#events'
import { type Cursor, type Paged, pageOf } from '#http'
import type { Transaction } from '#store'

export const auditReader: EventReader = {
  name: 'audit',
  async handle(transaction, { type, data, ...event }) {
    if (!eventTypes[type as EventType]?.audited) return
    await transaction
      .insertInto('audit_entry')
      .values({ ...event, action: type, data: JSON.stringify(data) })
      .onConflict(conflict => conflict.column('position').doNothing())
      .execute()
  },
}

export interface AuditFilter {
  by?: string | undefined
  subject?: string | undefined
}

/** Newest first. */
export async function listAudit(
  transaction: Transaction,
  { by, subject }: AuditFilter,
  { limit, after }: Cursor,
): Promise<Paged<AuditEntry>> {
  let query = transaction
    .selectFrom('audit_entry')
    .selectAll()
    .orderBy('position', 'desc')
    .limit(limit + 1)
  if (after !== undefined) query = query.where('position', '<', Number(after))
  if (by !== undefined) query = query.where('by', '=', by)
  if (subject !== undefined) query = query.where('subject', '=', subject)
  return pageOf(await query.execute(), limit, row => String(row.position), entryOf)
}

export async function pruneAudit(transaction: Transaction, before: Date): Promise<void> {
  await transaction.deleteFrom('audit_entry').where('at', '<', before.toISOString()).execute()
}

const entryOf = ({ position: _position, data, ...row }: AuditRow): AuditEntry => ({
  ...row,
  data: JSON.parse(data) as AuditEntry['data'],
})

type AuditRow = Omit<AuditEntry, 'data'> & { position: number; data: string }
