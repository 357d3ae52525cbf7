/** One step of the database's schema, forward only. */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from './engine.ts'
import type { Tables } from './tables.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  /**
   * The migration that a program must know, at least, to work with the database after this one. One that only expands
   * repeats the value of the one before it; one that contracts names the migration since which nobody uses what goes.
   */
  readonly worksFrom: number
  up(db: Kysely<Tables>, columns: ColumnTypes): Promise<void>
}
