/** The commit that a rollback goes to: the one that is named, that of a run, or the one before what runs. */
import { Fault, type RollbackRequest } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { previousSha } from './earlier.ts'
import { findRun } from './run-row.ts'

export async function rollbackTarget(
  transaction: Transaction,
  name: string,
  { to, run }: Pick<RollbackRequest, 'to' | 'run'> = {},
): Promise<string> {
  if (to !== undefined) return to
  if (run !== undefined) return shaOfRun(transaction, name, run)
  const [instance] = await transaction
    .selectFrom('instance')
    .select('sha')
    .where('project', '=', name)
    .execute()
  const previous = await previousSha(transaction, name, instance?.sha ?? null)
  if (previous === undefined) {
    throw new Fault('nothing_earlier', `No earlier commit of ${name} was deployed and proven.`)
  }
  return previous
}

async function shaOfRun(transaction: Transaction, project: string, id: string): Promise<string> {
  const row = await findRun(transaction, id)
  if (row?.project !== project) throw new Fault('not_found', `${project} has no run ${id}.`)
  if (row.status === 'succeeded' && row.sha !== null) return row.sha
  throw new Fault('nothing_earlier', `Run ${id} did not succeed: it is ${row.status}.`)
}
