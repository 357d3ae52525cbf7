/** What a database engine offers behind the store's door. Every engine has the same file shape. */
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

export interface Engine {
  readonly name: string
  readonly flags: EngineFlags
  /** Hands out the connection that writes, one at a time or more. */
  readonly writer: Kysely<Tables>
  /** Hands out connections that only read. */
  readonly reader: Kysely<Tables>
  /** Statements that begin a transaction which alone may write until it ends, across all processes. */
  readonly beginWrite: readonly string[]
  /** Statements that begin a transaction which sees one moment of the database and cannot write. */
  readonly beginRead: readonly string[]
  readonly columns: ColumnTypes
  /** An error of the engine as an entry of the catalogue; anything else as it is. */
  fault(error: unknown): unknown
  /** Looks through all that is stored, and throws what is damaged; says what was looked at. */
  inspect(): Promise<string>
  close(): Promise<void>
}

export interface EngineFlags {
  /** Other processes may write too, so readers of the event stream must also look on their own. */
  readonly concurrent_writers: boolean
}

/** The three column types there are, spelled so that order and range are the same on every engine. */
export interface ColumnTypes {
  readonly text: RawBuilder<unknown>
  readonly bigint: RawBuilder<unknown>
  readonly double: RawBuilder<unknown>
}
