import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

export const projectsAndRuns: Migration = {
  number: 2,
  name: 'projects-and-runs',
  worksFrom: 1,
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('project')
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('repository', text, column => column.notNull())
      .addColumn('aliases', text, column => column.notNull())
      .addColumn('settings', text, column => column.notNull())
      .addColumn('held', bigint, column => column.notNull())
      .addColumn('held_reason', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .addColumn('archived_at', text)
      .execute()

    await db.schema
      .createTable('instance')
      .addColumn('project', text, column => column.notNull())
      .addColumn('machine', text, column => column.notNull())
      .addColumn('sha', text)
      .addColumn('proven_sha', text)
      .addColumn('port', bigint)
      .addColumn('units', text, column => column.notNull())
      .addColumn('updated_at', text, column => column.notNull())
      .addPrimaryKeyConstraint('instance_primary', ['project', 'machine'])
      .execute()

    await db.schema
      .createTable('run')
      .addColumn('position', bigint, column => column.primaryKey())
      .addColumn('id', text, column => column.notNull().unique())
      .addColumn('project', text, column => column.notNull())
      .addColumn('repository', text, column => column.notNull())
      .addColumn('kind', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('ref', text)
      .addColumn('ref_sha', text)
      .addColumn('sha', text)
      .addColumn('discard', bigint, column => column.notNull())
      .addColumn('caller', text, column => column.notNull())
      .addColumn('idempotency_key', text)
      .addColumn('request_hash', text, column => column.notNull())
      .addColumn('trigger_by', text, column => column.notNull())
      .addColumn('trigger_from', text)
      .addColumn('created_at', text, column => column.notNull())
      .addColumn('started_at', text)
      .addColumn('ended_at', text)
      .addColumn('cancel_asked', bigint, column => column.notNull())
      .addColumn('machine', text)
      .addColumn('steps', text, column => column.notNull())
      .addColumn('error', text)
      .addColumn('restored_sha', text)
      .addColumn('superseded_by', text)
      .execute()
    await db.schema.createIndex('run_project').on('run').columns(['project', 'position']).execute()
    // Of all runs ever, few are open.
    await db.schema
      .createIndex('run_open')
      .on('run')
      .columns(['status', 'project', 'position'])
      .where(sql.ref('ended_at'), 'is', null)
      .execute()
    await db.schema
      .createIndex('run_key')
      .on('run')
      .columns(['caller', 'idempotency_key'])
      .where('idempotency_key', 'is not', null)
      .execute()

    await db.schema
      .createTable('run_log')
      .addColumn('run_id', text, column => column.notNull())
      .addColumn('seq', bigint, column => column.notNull())
      .addColumn('at', text, column => column.notNull())
      .addColumn('step', text)
      .addColumn('text', text, column => column.notNull())
      .addPrimaryKeyConstraint('run_log_primary', ['run_id', 'seq'])
      .execute()
  },
}
