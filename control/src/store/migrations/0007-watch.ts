import type { Migration } from '../migration.ts'

export const watch: Migration = {
  number: 7,
  name: 'watch',
  worksFrom: 1,
  async up(db, { text, bigint, double }) {
    await db.schema
      .createTable('service_change')
      .addColumn('service', text, column => column.notNull())
      .addColumn('at', bigint, column => column.notNull())
      .addColumn('kind', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('reason_code', text)
      .addColumn('reason_message', text)
      .addColumn('changes', bigint, column => column.notNull())
      .addColumn('mixed_until', bigint)
      .addColumn('up_s', bigint, column => column.notNull())
      .addColumn('degraded_s', bigint, column => column.notNull())
      .addColumn('down_s', bigint, column => column.notNull())
      .addColumn('maintenance_s', bigint, column => column.notNull())
      .addPrimaryKeyConstraint('service_change_primary', ['service', 'at'])
      .execute()

    // In this order what is written together lies together.
    await db.schema
      .createTable('service_period')
      .addColumn('period_s', bigint, column => column.notNull())
      .addColumn('slot', bigint, column => column.notNull())
      .addColumn('service', text, column => column.notNull())
      .addColumn('at', bigint, column => column.notNull())
      .addColumn('looks', bigint, column => column.notNull())
      .addColumn('latency', text, column => column.notNull())
      .addColumn('requests', double)
      .addColumn('observed_s', double, column => column.notNull())
      .addColumn('request_latency', text)
      .addColumn('memory_bytes', bigint)
      .addColumn('memory_max_bytes', bigint)
      .addPrimaryKeyConstraint('service_period_primary', ['period_s', 'slot', 'service'])
      .execute()

    await db.schema
      .createTable('observation_gap')
      .addColumn('started_at', bigint, column => column.primaryKey())
      .addColumn('ended_at', bigint, column => column.notNull())
      .execute()

    await db.schema
      .createTable('observation')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('since', bigint, column => column.notNull())
      .addColumn('seen_until', bigint, column => column.notNull())
      .execute()
  },
}
