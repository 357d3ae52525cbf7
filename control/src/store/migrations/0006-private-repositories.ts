import type { Migration } from '../migration.ts'

export const privateRepositories: Migration = {
  number: 6,
  name: 'private-repositories',
  worksFrom: 1,
  async up(db, { text }) {
    await db.schema
      .createTable('repository_access')
      .addColumn('project', text, column => column.primaryKey())
      .addColumn('public_key', text)
      .addColumn('private_key', text)
      .addColumn('key_created_at', text)
      .addColumn('host', text)
      .addColumn('host_keys', text)
      .addColumn('pinned_at', text)
      .addColumn('token_url', text)
      .addColumn('token_username', text)
      .addColumn('token', text)
      .addColumn('token_created_at', text)
      .execute()
  },
}
