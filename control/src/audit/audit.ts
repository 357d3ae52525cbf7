/** Who did what: the first reader of the event stream, with a memory of its own that outlasts the stream's. */
import { type AuditEntry, type EventType, eventTypes } from '@quarterdeck/contract'
import type { EventReader } from '#events'
import { type Cursor, type Paged, pageOf } from '#http'
import type { Transaction } from '#store'

const auditedTypes = (Object.keys(eventTypes) as EventType[]).filter(type => eventTypes[type].audited)

/** Copied where they are: nothing of an event is changed on its way into the audit. */
export const auditReader: EventReader = {
  name: 'audit',
  types: auditedTypes,
  async handle(transaction, after, upTo) {
    await transaction
      .insertInto('audit_entry')
      .columns(['id', 'position', 'at', 'by', 'from', 'action', 'subject', 'request_id', 'data'])
      .expression(({ selectFrom }) =>
        selectFrom('event')
          .select(['id', 'position', 'at', 'by', 'from', 'type', 'subject', 'request_id', 'data'])
          .where('position', '>', after)
          .where('position', '<=', upTo)
          .where('type', 'in', auditedTypes),
      )
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
