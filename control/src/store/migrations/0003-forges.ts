import type { Migration } from '../migration.ts'

export const forges: Migration = {
  number: 3,
  name: 'forges',
  worksFrom: 1,
  async up(db, { text, bigint }) {
    await db.schema.alterTable('run').addColumn('changed_since', text).execute()

    await db.schema
      .createTable('forge')
      .addColumn('project', text, column => column.primaryKey())
      .addColumn('hook_secret', text)
      .addColumn('hook_created_at', text)
      .addColumn('hook_used_at', text)
      .addColumn('status_kind', text)
      .addColumn('status_api_url', text)
      .addColumn('status_token', text)
      .addColumn('status_created_at', text)
      .addColumn('status_sent_at', text)
      .addColumn('status_problem', text)
      .execute()

    await db.schema
      .createTable('hook_delivery')
      .addColumn('project', text, column => column.notNull())
      .addColumn('delivery', text, column => column.notNull())
      .addColumn('signature', text, column => column.notNull())
      .addColumn('run_id', text, column => column.notNull())
      .addColumn('created_at', text, column => column.notNull())
      .addPrimaryKeyConstraint('hook_delivery_primary', ['project', 'delivery'])
      .execute()
    await db.schema
      .createIndex('hook_delivery_signature')
      .on('hook_delivery')
      .columns(['project', 'signature'])
      .execute()
    await db.schema.createIndex('hook_delivery_created').on('hook_delivery').column('created_at').execute()

    await db.schema
      .createTable('commit_status')
      .addColumn('project', text, column => column.notNull())
      .addColumn('sha', text, column => column.notNull())
      .addColumn('run_id', text, column => column.notNull())
      .addColumn('run_position', bigint, column => column.notNull())
      .addColumn('state', text, column => column.notNull())
      .addColumn('description', text, column => column.notNull())
      .addColumn('version', bigint, column => column.notNull())
      .addColumn('tries', bigint, column => column.notNull())
      .addColumn('due_at', text)
      .addColumn('leased_until', text)
      .addColumn('updated_at', text, column => column.notNull())
      .addPrimaryKeyConstraint('commit_status_primary', ['project', 'sha'])
      .execute()
    await db.schema.createIndex('commit_status_due').on('commit_status').column('due_at').execute()
  },
}
