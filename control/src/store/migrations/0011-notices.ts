import type { Migration } from '../migration.ts'

export const notices: Migration = {
  number: 11,
  name: 'notices',
  worksFrom: 1,
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('incident')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('name', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('impact', text, column => column.notNull())
      .addColumn('service_ids', text, column => column.notNull())
      .addColumn('draft', bigint, column => column.notNull())
      .addColumn('source', text)
      .addColumn('started_at', text, column => column.notNull())
      .addColumn('ended_at', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .execute()
    await db.schema.createIndex('incident_started').on('incident').column('started_at').execute()
    await db.schema
      .createTable('incident_update')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('incident', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('body', text, column => column.notNull())
      .addColumn('created_at', text, column => column.notNull())
      .execute()
    await db.schema.createIndex('incident_update_of').on('incident_update').column('incident').execute()
    await db.schema
      .createTable('incident_template')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('settings', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .execute()
    await db.schema
      .createTable('maintenance')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('name', text, column => column.notNull())
      .addColumn('impact', text, column => column.notNull())
      .addColumn('service_ids', text, column => column.notNull())
      .addColumn('starts_at', text, column => column.notNull())
      .addColumn('ends_at', text, column => column.notNull())
      .addColumn('repeat', text)
      .addColumn('repeat_until', text)
      .addColumn('cancelled_at', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .execute()
    await db.schema
      .createTable('maintenance_update')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('maintenance', text, column => column.notNull())
      .addColumn('window_at', text)
      .addColumn('status', text)
      .addColumn('body', text, column => column.notNull())
      .addColumn('created_at', text, column => column.notNull())
      .execute()
    await db.schema
      .createIndex('maintenance_update_of')
      .on('maintenance_update')
      .column('maintenance')
      .execute()
  },
}
