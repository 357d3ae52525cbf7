/** Who changed which variables when, newest first. Never what they were. */
import type { VariableRevision } from '@quarterdeck/contract'
import { type Cursor, type Paged, pageOf } from '#http'
import type { Tables, Transaction } from '#store'

export const revisionCursor = /^\d{1,15}$/

export async function listRevisions(
  transaction: Transaction,
  project: string,
  { limit, after }: Cursor,
): Promise<Paged<VariableRevision>> {
  let query = transaction
    .selectFrom('variable_revision')
    .selectAll()
    .where('project', '=', project)
    .orderBy('revision', 'desc')
    .limit(limit + 1)
  if (after !== undefined) query = query.where('revision', '<', Number(after))
  return pageOf(await query.execute(), limit, row => String(row.revision), shown)
}

const shown = (row: Tables['variable_revision']): VariableRevision => ({
  revision: row.revision,
  at: row.at,
  by: row.by,
  set: JSON.parse(row.set_names) as string[],
  unset: JSON.parse(row.unset_names) as string[],
  restored_from: row.restored_from,
  run_id: row.run_id,
})
