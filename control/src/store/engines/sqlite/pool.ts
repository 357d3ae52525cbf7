/** Connections of `node:sqlite` for Kysely: a fixed number on one file, handed out one holder at a time. */
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'

const keptStatements = 200

export class SqlitePool implements Driver {
  readonly #open: () => SqliteConnection
  readonly #size: number
  readonly #all: SqliteConnection[] = []
  readonly #free: SqliteConnection[] = []
  readonly #waiting: ((connection: SqliteConnection) => void)[] = []

  constructor(file: string, size: number, options: DatabaseSyncOptions, pragmas: readonly string[]) {
    this.#size = size
    this.#open = () => new SqliteConnection(file, options, pragmas)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    const free = this.#free.pop()
    if (free) return free
    if (this.#all.length < this.#size) {
      const connection = this.#open()
      this.#all.push(connection)
      return connection
    }
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    const next = this.#waiting.shift()
    if (next) next(connection)
    else this.#free.push(connection)
  }

  // The store begins and ends transactions itself.
  async beginTransaction(): Promise<void> {
    throw new Error('Use store.write.')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    for (const connection of this.#all.splice(0)) connection.close()
  }
}

interface Prepared {
  readonly statement: StatementSync
  /** It gives rows. */
  readonly reads: boolean
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(file: string, options: DatabaseSyncOptions, pragmas: readonly string[]) {
    this.#database = new DatabaseSync(file, options)
    try {
      for (const pragma of pragmas) this.#database.exec(`PRAGMA ${pragma}`)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement, reads } = this.#prepare(sql)
    const values = parameters as SQLInputValue[]
    if (reads) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<Row>({ sql, parameters }: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
    for (const row of this.#prepare(sql).statement.iterate(...(parameters as SQLInputValue[])))
      yield { rows: [row as Row] }
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    const statement = this.#database.prepare(sql)
    const prepared = { statement, reads: statement.columns().length > 0 }
    if (this.#statements.size >= keptStatements) this.#statements.clear()
    this.#statements.set(sql, prepared)
    return prepared
  }
}
