/**
 * The operator's token of this machine: in the file `operator.token` of the home, for whoever may read that. It is made
 * at the first start, and again when the file is gone or its token no longer counts; the one before is then revoked.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { bySystem } from '#http'
import type { Store } from '#store'
import { operatorTokenFile, operatorTokenName, readToken } from './token-file.ts'
import type { Tokens } from './tokens.ts'

/** Control processes on other machines may share the database, and each machine has its own token. */
const label = `${operatorTokenName} on ${hostname()}`

export async function ensureOperatorToken(store: Store, tokens: Tokens, home: string): Promise<void> {
  const file = operatorTokenFile(home)
  const kept = readToken(file)
  if (kept && (await tokens.find(kept))) return
  await store.write(async transaction => {
    const former = await transaction
      .selectFrom('token')
      .select('id')
      .where('kind', '=', 'operator')
      .where('label', '=', label)
      .where('revoked_at', 'is', null)
      .execute()
    for (const { id } of former) await tokens.revoke(transaction, bySystem, id)
    const { token } = await tokens.create(transaction, bySystem, 'operator', { label })
    // Before the commit: a token in the file that is not in the database is replaced at the next start, while one in
    // the database that nobody knows would stay.
    writeFileSync(`${file}.new`, `${token}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  })
}
