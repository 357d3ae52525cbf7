import type { Migration } from '../migration.ts'

export const variables: Migration = {
  number: 4,
  name: 'variables',
  worksFrom: 1,
  async up(db, { text, bigint }) {
    await db.schema.alterTable('run').addColumn('variables_revision', bigint).execute()
    await db.schema.alterTable('run').addColumn('rollback_revision', bigint).execute()
    await db.schema.alterTable('run').addColumn('with_secrets', bigint).execute()
    await db.schema.alterTable('run').addColumn('variable_sets', text).execute()
    await db.schema.alterTable('instance').addColumn('variables', text).execute()

    await db.schema
      .createTable('variable')
      .addColumn('project', text, column => column.notNull())
      .addColumn('name', text, column => column.notNull())
      .addColumn('since', bigint, column => column.notNull())
      .addColumn('until', bigint)
      .addColumn('secret', bigint, column => column.notNull())
      .addColumn('value', text)
      .addColumn('sealed', text)
      .addPrimaryKeyConstraint('variable_primary', ['project', 'name', 'since'])
      .execute()

    await db.schema
      .createTable('variable_revision')
      .addColumn('project', text, column => column.notNull())
      .addColumn('revision', bigint, column => column.notNull())
      .addColumn('at', text, column => column.notNull())
      .addColumn('by', text, column => column.notNull())
      .addColumn('set_names', text, column => column.notNull())
      .addColumn('unset_names', text, column => column.notNull())
      .addColumn('restored_from', bigint)
      .addColumn('run_id', text)
      .addPrimaryKeyConstraint('variable_revision_primary', ['project', 'revision'])
      .execute()
  },
}
