import type { Migration } from '../migration.ts'

export const repositorySettings: Migration = {
  number: 5,
  name: 'repository-settings',
  worksFrom: 1,
  async up(db, { text }) {
    await db.schema.alterTable('instance').addColumn('in_repository', text).execute()
  },
}
