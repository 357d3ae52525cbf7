/** Where sealed secrets are. Whoever keeps some adds a line, so that no new key is made while they exist. */
import { sql } from 'kysely'
import type { Tables, Transaction } from '#store'

interface SealedColumn {
  table: keyof Tables
  column: string
  /** Set when the secret was replaced or removed: it is history then, and need not keep its key in place. */
  ended?: string
}

const sealedColumns: SealedColumn[] = [
  { table: 'channel', column: 'secret' },
  { table: 'forge', column: 'hook_secret' },
  { table: 'forge', column: 'status_token' },
  { table: 'repository_access', column: 'private_key' },
  { table: 'repository_access', column: 'token' },
  { table: 'service', column: 'headers' },
  { table: 'variable', column: 'sealed', ended: 'until' },
]

/** One that does not begin so; without `prefix`, any. */
export async function sealedElsewhere(
  transaction: Transaction,
  prefix: string | undefined,
): Promise<string | undefined> {
  for (const { table, column, ended } of sealedColumns) {
    const sealed = sql.ref(column)
    const conditions = [
      sql`${sealed} is not null`,
      ...(ended === undefined ? [] : [sql`${sql.ref(ended)} is null`]),
      ...(prefix === undefined ? [] : [sql`${sealed} not like ${sql.lit(`${prefix}%`)}`]),
    ]
    const { rows } = await sql<{ sealed: string }>`
      select ${sealed} as sealed from ${sql.table(table)} where ${sql.join(conditions, sql` and `)} limit 1
    `.execute(transaction)
    if (rows[0]) return rows[0].sealed
  }
  return undefined
}
