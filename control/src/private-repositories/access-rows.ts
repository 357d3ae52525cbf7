/** What a project's repository is read with, as it is stored. */
import type { Tables, Transaction } from '#store'

export type AccessRow = Tables['repository_access']

const nothing: Omit<AccessRow, 'project'> = {
  public_key: null,
  private_key: null,
  key_created_at: null,
  host: null,
  host_keys: null,
  pinned_at: null,
  token_url: null,
  token_username: null,
  token: null,
  token_created_at: null,
}

export const rowOf = (transaction: Transaction, project: string): Promise<AccessRow | undefined> =>
  transaction.selectFrom('repository_access').selectAll().where('project', '=', project).executeTakeFirst()

export async function changeRow(
  transaction: Transaction,
  project: string,
  change: Partial<AccessRow>,
): Promise<void> {
  await transaction
    .insertInto('repository_access')
    .values({ ...nothing, ...change, project })
    .onConflict(conflict => conflict.column('project').doUpdateSet(change))
    .execute()
}

/** As OpenSSH writes them. */
export const pinnedKeys = ({ host_keys }: AccessRow): string[] =>
  host_keys === null ? [] : (JSON.parse(host_keys) as string[])

/** As a list that ssh reads. */
export const knownHosts = (row: AccessRow): string =>
  pinnedKeys(row)
    .map(key => `${row.host} ${key}\n`)
    .join('')
