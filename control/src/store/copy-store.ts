/** Copies everything from one store to an empty one, whatever their engines: backup, restore, and the way from SQLite to PostgreSQL. */
import { Fault } from '@quarterdeck/contract'
import type { Store, Transaction } from './store.ts'
import { dataTables } from './tables.ts'

/** Below SQLite's limit of 32,766 and PostgreSQL's of 65,535 parameters in one statement. */
const maxParameters = 30_000

type Row = Record<string, unknown>
type DataTable = (typeof dataTables)[number]

/** All as of one moment, in one transaction: afterwards everything is there, or nothing. Others may go on writing to `from`. */
export async function copyStore(from: Store, to: Store): Promise<void> {
  await from.read(source =>
    to.write(async target => {
      await refuseOtherMigrations(source, target)
      for (const table of dataTables) {
        await refuseData(target, table)
        await copyTable(source, target, table)
      }
    }),
  )
}

async function copyTable(source: Transaction, target: Transaction, table: DataTable): Promise<void> {
  let rows: Row[] = []
  const flush = async () => {
    if (rows.length > 0)
      await target
        .insertInto(table)
        .values(rows as never)
        .execute()
    rows = []
  }
  for await (const row of source.selectFrom(table).selectAll().stream(500)) {
    rows.push(row as Row)
    if (rows.length * Object.keys(row).length >= maxParameters - 100) await flush()
  }
  await flush()
}

/** A later version's columns would be left behind without a word. */
async function refuseOtherMigrations(source: Transaction, target: Transaction): Promise<void> {
  const [from, to] = await Promise.all([source, target].map(latestMigration))
  if (from === to) return
  throw new Fault(
    'store_newer',
    `The database is at migration ${from} and this version knows ${to} at most; use the version that made it.`,
  )
}

/** The number of the newest migration that the database has had. */
export const migrationLevel = (store: Store): Promise<number> => store.read(latestMigration)

const latestMigration = async (transaction: Transaction): Promise<number> => {
  const { latest } = await transaction
    .selectFrom('migration')
    .select(({ fn }) => fn.max('number').as('latest'))
    .executeTakeFirstOrThrow()
  return latest
}

async function refuseData(target: Transaction, table: DataTable): Promise<void> {
  const row = await target.selectFrom(table).selectAll().limit(1).executeTakeFirst()
  if (row)
    throw new Fault('home_not_empty', `The database already holds data (in ${table}); nothing was changed.`)
}
