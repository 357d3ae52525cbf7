/** Variables as they are stored: each counts in the revisions from its `since` up to, and without, its `until`. */
import type { Tables, Transaction } from '#store'

export type VariableRow = Tables['variable']

/** What a variable is, whichever revision it is of. */
export type Content = Pick<VariableRow, 'secret' | 'value' | 'sealed'>

/** 0: none was ever set. */
export async function newestRevision(transaction: Transaction, project: string): Promise<number> {
  const row = await transaction
    .selectFrom('variable_revision')
    .select('revision')
    .where('project', '=', project)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.revision ?? 0
}

/** By name. */
export const rowsAt = (transaction: Transaction, project: string, revision: number): Promise<VariableRow[]> =>
  transaction
    .selectFrom('variable')
    .selectAll()
    .where('project', '=', project)
    .where('since', '<=', revision)
    .where(({ or, eb }) => or([eb('until', 'is', null), eb('until', '>', revision)]))
    .orderBy('name')
    .execute()

/**
 * Plain variables as they were `then`, secrets as they are in `secrets`. What is a secret in one of the two only goes with
 * the secrets: it is neither shown as it once was, nor taken away.
 */
export function combined(then: readonly VariableRow[], secrets: readonly VariableRow[]): VariableRow[] {
  const wasSecret = namesOf(then.filter(({ secret }) => secret === 1))
  const kept = secrets.filter(({ name, secret }) => secret === 1 || wasSecret.has(name))
  const isKept = namesOf(kept)
  const plain = then.filter(({ name, secret }) => secret === 0 && !isKept.has(name))
  return [...plain, ...kept].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const namesOf = (rows: readonly VariableRow[]): Set<string> => new Set(rows.map(({ name }) => name))

/** Of one revision where the two are the same. */
export async function combinedAt(
  transaction: Transaction,
  project: string,
  revision: number,
  secretsAt: number,
): Promise<VariableRow[]> {
  const then = await rowsAt(transaction, project, revision)
  return secretsAt === revision ? then : combined(then, await rowsAt(transaction, project, secretsAt))
}
