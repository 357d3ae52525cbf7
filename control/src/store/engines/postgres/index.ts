/** PostgreSQL through `pg`: for several control processes on one database. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import Cursor from 'pg-cursor'
import type { Engine } from '../../engine.ts'
import type { Tables } from '../../tables.ts'
import { postgresFault } from './faults.ts'

/** Names the right to write, among the advisory locks of the database. */
const writeLock = 7283745120

const limitMs = 10_000

// Our bigints are positions, counts and durations, all far below 2^53.
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
}

export function postgresEngine(url: string): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'quarterdeck',
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: limitMs,
    lock_timeout: limitMs,
    idle_in_transaction_session_timeout: limitMs,
    keepAlive: true,
    types: types as pg.CustomTypesConfig,
  })
  // A connection that breaks, idle or in use, is told to whoever uses it next; an unheard event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) })

  return {
    name: 'postgres',
    flags: { concurrent_writers: true },
    writer: db,
    reader: db,
    // One writer at a time, as on SQLite: events are then committed in the order of their positions, and no
    // transaction has to be repeated. In READ COMMITTED what follows the lock sees all that was committed before it.
    beginWrite: ['BEGIN ISOLATION LEVEL READ COMMITTED', `SELECT pg_advisory_xact_lock(${writeLock})`],
    beginRead: ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'],
    columns: { text: sql`text collate "C"`, bigint: sql`bigint`, double: sql`double precision` },
    fault: error => postgresFault(error, serverOf(url)),
    async inspect() {
      const { rows } = await sql<{ server_version: string }>`SHOW server_version`.execute(db)
      return `version ${rows[0]?.server_version}, answers`
    },
    close: () => db.destroy(),
  }
}

/** The server and database as an operator would name them, without the password. */
function serverOf(url: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(url)
    return `${searchParams.get('host') ?? hostname}${port && `:${port}`}${pathname}`
  } catch {
    return 'an unreadable address'
  }
}
