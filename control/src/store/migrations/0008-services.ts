import type { Migration } from '../migration.ts'

export const services: Migration = {
  number: 8,
  name: 'services',
  worksFrom: 1,
  async up(db, { text }) {
    await db.schema
      .createTable('service')
      .addColumn('id', text, column => column.primaryKey())
      .addColumn('settings', text, column => column.notNull())
      .addColumn('header_names', text, column => column.notNull())
      .addColumn('headers', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .execute()
  },
}
