/**
 * The database door. All access is `read(work)` or `write(work)`; nobody holds a bare handle. Work uses only the handle
 * it is given and waits for nothing but the database, because writers wait for each other.
 *
 * Writes are committed in groups: what was asked for in one turn of the event loop shares one transaction, and so one
 * wait for the disk. Each still stands alone: if one fails, only that one is undone.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault } from '@quarterdeck/contract'
import { type Clock, systemClock } from '@quarterdeck/kit'
import { type Kysely, sql } from 'kysely'
import type { Engine } from './engine.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migration.ts'
import { migrations as allMigrations } from './migrations/index.ts'
import type { Tables } from './tables.ts'

/** The handle that work is given: everything done with it is one transaction. */
export type Transaction = Kysely<Tables>

/** Nobody waits for ever for those who come after. */
const mostTurns = 10

type Work<T> = (transaction: Transaction) => Promise<T>

export interface WriteOptions {
  /**
   * The work refuses, by throwing a fault, before it writes anything or not at all, so that there is nothing to undo for
   * it alone: it goes without a savepoint.
   */
  readonly refusesFirst?: boolean
}

interface Waiting extends WriteOptions {
  work: Work<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

export interface StoreOptions {
  clock?: Clock
  /** Of one transaction. */
  maxGroup?: number
  migrations?: readonly Migration[]
}

export class Store {
  readonly #engine: Engine
  readonly #maxGroup: number
  readonly #inTransaction = new AsyncLocalStorage<true>()
  readonly #listeners = new Set<() => void>()
  #lastWriteFailed = false
  #waiting: Waiting[] = []
  #committing: Promise<void> | undefined

  private constructor(engine: Engine, maxGroup: number) {
    this.#engine = engine
    this.#maxGroup = maxGroup
  }

  /** Opens the door on a migrated database; throws a fault of the catalogue when that cannot be. */
  static async open(engine: Engine, options: StoreOptions = {}): Promise<Store> {
    const { clock = systemClock, maxGroup = 1000, migrations = allMigrations } = options
    const store = new Store(engine, maxGroup)
    try {
      await store.write(transaction => migrate(transaction, engine.columns, migrations, clock))
    } catch (error) {
      await engine.close()
      throw error
    }
    return store
  }

  /** Opens the door on a database as it is, to read from it. */
  static attach(engine: Engine): Store {
    return new Store(engine, 1)
  }

  get engineName(): string {
    return this.#engine.name
  }

  get flags(): Engine['flags'] {
    return this.#engine.flags
  }

  /** Reads one moment of the database. */
  read<T>(work: Work<T>): Promise<T> {
    this.#refuseNesting()
    return this.#engine.reader
      .connection()
      .execute(async connection => {
        await run(connection, this.#engine.beginRead)
        try {
          return await this.#inTransaction.run(true, () => work(connection))
        } finally {
          await run(connection, ['ROLLBACK']).catch(() => undefined)
        }
      })
      .catch(error => {
        throw this.#engine.fault(error)
      })
  }

  /** Resolves when what `work` wrote is on disk; rejects when nothing of it is. */
  write<T>(work: Work<T>, options: WriteOptions = {}): Promise<T> {
    this.#refuseNesting()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ ...options, work, resolve: resolve as (value: unknown) => void, reject })
    this.#committing ??= this.#commitAll()
    return promise
  }

  /** Calls `listener` after each commit of this process. Returns how to end that. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Rejects while the store cannot do its job. After a failed write it tries one, as large as they get. */
  async ping(): Promise<void> {
    await this.read(transaction => transaction.selectFrom('migration').select('number').limit(1).execute())
    if (this.#lastWriteFailed) await this.#tryWriting()
  }

  /** Leaves a row that no caller can have, and takes it away again; what a crash leaves of it is pruned as expired. */
  async #tryWriting(): Promise<void> {
    const row = { request_hash: '', reply: ' '.repeat(65_536), created_at: '' }
    await this.write(transaction =>
      transaction
        .insertInto('idempotency_key')
        .values({ caller: '', key: 'ping', ...row })
        .onConflict(conflict => conflict.columns(['caller', 'key']).doUpdateSet(row))
        .execute(),
    )
    await this.write(transaction =>
      transaction.deleteFrom('idempotency_key').where('caller', '=', '').execute(),
    )
  }

  /** What the engine says of its own state. */
  inspect(): Promise<string> {
    return this.#engine.inspect().catch(error => {
      throw this.#engine.fault(error)
    })
  }

  /** Waits for what was asked for, then closes. */
  async close(): Promise<void> {
    await this.#committing
    await this.#engine.close()
  }

  /** It would wait for itself. */
  #refuseNesting(): void {
    if (this.#inTransaction.getStore()) throw new Error('A transaction was asked for inside a transaction.')
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather()
      await this.#commitGroup(this.#waiting.splice(0, this.#maxGroup))
    }
    this.#committing = undefined
  }

  /** Waits a turn, and more of them for as long as each brings more: those who come together share the wait for the disk. */
  async #gather(): Promise<void> {
    for (let turn = 0, before = 0; turn < mostTurns && this.#waiting.length > before; turn++) {
      before = this.#waiting.length
      await nextTurn()
    }
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const settle = await this.#engine.writer
        .connection()
        .execute(connection => this.#runGroup(connection, group))
      for (const outcome of settle) outcome()
      this.#lastWriteFailed = false
    } catch (error) {
      this.#lastWriteFailed = true
      for (const { reject } of group) reject(this.#engine.fault(error))
      return
    }
    for (const listener of this.#listeners) listener()
  }

  /** Runs the group in one transaction. What each caller hears is said only after the commit. */
  async #runGroup(connection: Transaction, group: readonly Waiting[]): Promise<(() => void)[]> {
    const outcomes: (() => void)[] = []
    try {
      await run(connection, this.#engine.beginWrite)
      for (const entry of group) {
        outcomes.push(await (entry.refusesFirst ? this.#runBare : this.#runOne)(connection, entry))
      }
      await run(connection, ['COMMIT'])
      return outcomes
    } catch (error) {
      await run(connection, ['ROLLBACK']).catch(() => undefined)
      throw error
    }
  }

  /** What is not a refusal is everybody's: nobody knows what was written before it. */
  readonly #runBare = async (
    connection: Transaction,
    { work, resolve, reject }: Waiting,
  ): Promise<() => void> => {
    try {
      const value = await this.#inTransaction.run(true, () => work(connection))
      return () => resolve(value)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return () => reject(error)
    }
  }

  readonly #runOne = async (
    connection: Transaction,
    { work, resolve, reject }: Waiting,
  ): Promise<() => void> => {
    await run(connection, ['SAVEPOINT one'])
    try {
      const value = await this.#inTransaction.run(true, () => work(connection))
      await run(connection, ['RELEASE SAVEPOINT one'])
      return () => resolve(value)
    } catch (error) {
      // Fails when the engine has already given up the whole transaction (disk full, connection lost): then the error
      // that counts is the first one, and it is everybody's.
      await run(connection, ['ROLLBACK TO SAVEPOINT one', 'RELEASE SAVEPOINT one']).catch(() => {
        throw error
      })
      return () => reject(this.#engine.fault(error))
    }
  }
}

async function run(connection: Transaction, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(connection)
}
