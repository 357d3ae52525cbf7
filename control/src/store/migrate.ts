/** Brings the database to this program's migrations, all in one transaction that alone may write. */
import { Fault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Kysely } from 'kysely'
import type { ColumnTypes } from './engine.ts'
import type { Migration } from './migration.ts'
import type { MigrationTable, Tables } from './tables.ts'

export async function migrate(
  db: Kysely<Tables>,
  columns: ColumnTypes,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  await createMigrationTable(db, columns)
  const applied = await db.selectFrom('migration').selectAll().orderBy('number').execute()
  const latest = migrations.at(-1)?.number ?? 0
  refuseNewer(applied, latest)
  const done = new Set(applied.map(row => row.number))
  for (const migration of migrations.filter(({ number }) => !done.has(number))) {
    await migration.up(db, columns)
    await db
      .insertInto('migration')
      .values({
        number: migration.number,
        name: migration.name,
        works_from: migration.worksFrom,
        applied_at: clock.now().toISOString(),
      })
      .execute()
  }
}

async function createMigrationTable(db: Kysely<Tables>, { text, bigint }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('number', bigint, column => column.primaryKey())
    .addColumn('name', text, column => column.notNull())
    .addColumn('works_from', bigint, column => column.notNull())
    .addColumn('applied_at', text, column => column.notNull())
    .execute()
}

function refuseNewer(applied: readonly MigrationTable[], latest: number): void {
  const breaking = applied.find(row => row.number > latest && row.works_from > latest)
  if (!breaking) return
  throw new Fault(
    'store_newer',
    `The database has been changed by a later version (migration ${breaking.number}, ${breaking.name}); this version knows ${latest} at most.`,
  )
}
