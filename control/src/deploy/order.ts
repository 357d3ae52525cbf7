/** A run as its machine is told it, for the first time or again. */
import type { RunOrder } from '@quarterdeck/contract'
import { placedOf, type StoredProject } from '#projects'
import type { Transaction } from '#store'
import { sentBefore } from './earlier.ts'
import type { RunRow } from './run-row.ts'
import { setsOf } from './run-variables.ts'
import { sinceOf } from './since.ts'

export async function orderOf(
  transaction: Transaction,
  row: RunRow,
  project: StoredProject,
): Promise<RunOrder> {
  return {
    id: row.id,
    kind: row.kind as RunOrder['kind'],
    ref: row.ref,
    sent_before: await sentBefore(transaction, row),
    discard: row.discard === 1,
    ...(row.changed_since !== null && {
      only_for: { since: sinceOf(row.changed_since), paths: project.paths },
    }),
    variables: setsOf(row),
    project: placedOf(project),
  }
}

/** How far the log is known; nothing of it counts while there is a gap, which a failed write may leave. */
export async function knownUpTo(transaction: Transaction, runId: string): Promise<number> {
  const { last, lines } = await transaction
    .selectFrom('run_log')
    .select(({ fn }) => [fn.max('seq').as('last'), fn.countAll<number>().as('lines')])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  return last === lines ? last : 0
}
