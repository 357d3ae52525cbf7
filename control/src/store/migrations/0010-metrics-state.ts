import type { Migration } from '../migration.ts'

export const metricsState: Migration = {
  number: 10,
  name: 'metrics-state',
  worksFrom: 1,
  async up(db, { text }) {
    await db.schema
      .createTable('metrics_state')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('state', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .execute()
  },
}
