/** Where sealed secrets are. Whoever keeps some adds a line, so that no new key is made while they exist. */
import { sql } from 'kysely'
import type { Tables, Transaction } from '#store'

const sealedColumns = [
  { table: 'forge', column: 'hook_secret' },
  { table: 'forge', column: 'status_token' },
] as const satisfies { table: keyof Tables; column: string }[]

/** One that does not begin so; without `prefix`, any. */
export async function sealedElsewhere(
  transaction: Transaction,
  prefix: string | undefined,
): Promise<string | undefined> {
  for (const { table, column } of sealedColumns) {
    let query = transaction.selectFrom(table).select(column).where(column, 'is not', null).limit(1)
    if (prefix !== undefined) query = query.where(column, 'not like', sql.lit(`${prefix}%`))
    const row = await query.executeTakeFirst()
    if (row) return Object.values(row)[0] ?? undefined
  }
  return undefined
}
