/** SQLite through `node:sqlite`: one file in the home, one connection that writes, several that read. */
import { statSync } from 'node:fs'
import { Fault } from '@quarterdeck/contract'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { Engine } from '../../engine.ts'
import type { Tables } from '../../tables.ts'
import { sqliteFault } from './faults.ts'
import { SqlitePool } from './pool.ts'

const readers = 4
const busyTimeoutMs = 5000

export function sqliteEngine(file: string): Engine {
  // FULL, so that a commit in the write-ahead log is on disk before it is told of.
  const writer = kyselyOn(
    new SqlitePool(file, 1, { timeout: busyTimeoutMs }, ['journal_mode = WAL', 'synchronous = FULL']),
  )
  const reader = kyselyOn(new SqlitePool(file, readers, { timeout: busyTimeoutMs }, ['query_only = ON']))
  return {
    name: 'sqlite',
    flags: { concurrent_writers: false },
    writer,
    reader,
    beginWrite: ['BEGIN IMMEDIATE'],
    beginRead: ['BEGIN'],
    columns: { text: sql`text`, bigint: sql`integer`, double: sql`real` },
    fault: error => sqliteFault(error, file),
    async inspect() {
      const { rows } = await sql<{ quick_check: string }>`PRAGMA quick_check(1)`.execute(reader)
      const finding = rows[0]?.quick_check
      if (finding !== 'ok') throw new Fault('store_corrupt', `The database ${file} is damaged: ${finding}.`)
      return `${(statSync(file).size / 1e6).toFixed(1)} MB, intact`
    },
    async close() {
      await reader.destroy()
      await writer.destroy()
    },
  }
}

const kyselyOn = (pool: SqlitePool): Kysely<Tables> =>
  new Kysely({
    dialect: {
      createDriver: () => pool,
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: db => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
