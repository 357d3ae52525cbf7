import type { Migration } from '../migration.ts'

export const foundation: Migration = {
  number: 1,
  name: 'foundation',
  worksFrom: 1,
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('event')
      .addColumn('position', bigint, column => column.primaryKey())
      .addColumn('id', text, column => column.notNull())
      .addColumn('at', text, column => column.notNull())
      .addColumn('type', text, column => column.notNull())
      .addColumn('subject', text, column => column.notNull())
      .addColumn('by', text, column => column.notNull())
      .addColumn('from', text)
      .addColumn('request_id', text)
      .addColumn('data', text, column => column.notNull())
      .execute()
    await db.schema.createIndex('event_at').on('event').column('at').execute()

    await db.schema
      .createTable('event_reader')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('position', bigint, column => column.notNull())
      .execute()

    await db.schema
      .createTable('audit_entry')
      .addColumn('position', bigint, column => column.primaryKey())
      .addColumn('id', text, column => column.notNull())
      .addColumn('at', text, column => column.notNull())
      .addColumn('by', text, column => column.notNull())
      .addColumn('from', text)
      .addColumn('action', text, column => column.notNull())
      .addColumn('subject', text, column => column.notNull())
      .addColumn('request_id', text)
      .addColumn('data', text, column => column.notNull())
      .execute()
    await db.schema.createIndex('audit_entry_at').on('audit_entry').column('at').execute()
    await db.schema.createIndex('audit_entry_by').on('audit_entry').columns(['by', 'position']).execute()
    await db.schema
      .createIndex('audit_entry_subject')
      .on('audit_entry')
      .columns(['subject', 'position'])
      .execute()

    await db.schema
      .createTable('token')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('kind', text, column => column.notNull())
      .addColumn('hash', text, column => column.notNull().unique())
      .addColumn('label', text, column => column.notNull())
      .addColumn('project', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('expires_at', text)
      .addColumn('last_used_at', text)
      .addColumn('revoked_at', text)
      .execute()

    await db.schema
      .createTable('idempotency_key')
      .addColumn('caller', text, column => column.notNull())
      .addColumn('key', text, column => column.notNull())
      .addColumn('request_hash', text, column => column.notNull())
      .addColumn('reply', text, column => column.notNull())
      .addColumn('created_at', text, column => column.notNull())
      .addPrimaryKeyConstraint('idempotency_key_primary', ['caller', 'key'])
      .execute()
    await db.schema
      .createIndex('idempotency_key_created')
      .on('idempotency_key')
      .column('created_at')
      .execute()
  },
}
