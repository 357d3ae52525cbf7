/** Rows of projects, as they are looked for. */
import { Fault } from '@quarterdeck/contract'
import { prepared, type Transaction } from '#store'
import { type ProjectRow, type StoredProject, storedOf } from './stored-project.ts'

/** Archived ones too. */
export const rowOf = async (transaction: Transaction, name: string): Promise<ProjectRow | undefined> =>
  (await selectByName(transaction, { name }))[0]

const selectByName = prepared<{ name: string }, ProjectRow>((transaction, hole) =>
  transaction.selectFrom('project').selectAll().where('name', '=', hole('name')),
)

/** By name, without the archived. */
export async function storedProjects(transaction: Transaction): Promise<StoredProject[]> {
  const rows = await transaction
    .selectFrom('project')
    .selectAll()
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute()
  return rows.map(storedOf)
}

/** A fault while the project has a run of one of these. */
export async function refuseWhile(transaction: Transaction, name: string, statuses: string[]): Promise<void> {
  const run = await transaction
    .selectFrom('run')
    .select(['id', 'status'])
    .where('project', '=', name)
    .where('status', 'in', statuses)
    .executeTakeFirst()
  if (run) throw new Fault('project_busy', `The run ${run.id} of ${name} is ${run.status}.`)
}
