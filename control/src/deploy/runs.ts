/** Lists of runs, newest first, and how long they are kept. */
import type { Run } from '@quarterdeck/contract'
import { type Cursor, type Paged, pageOf } from '#http'
import type { Transaction } from '#store'
import type { RunRow } from './run-row.ts'

/** `projects` limits the list; null: all. */
export async function listRuns(
  transaction: Transaction,
  { limit, after }: Cursor,
  projects: readonly string[] | null,
  show: (row: RunRow) => Run,
): Promise<Paged<Run>> {
  let query = transaction
    .selectFrom('run')
    .selectAll()
    .orderBy('position', 'desc')
    .limit(limit + 1)
  if (projects) query = query.where('project', 'in', [...projects, ''])
  if (after !== undefined) query = query.where('position', '<', Number(after))
  return pageOf(await query.execute(), limit, row => String(row.position), show)
}

/** Drops the logs of runs that ended before, and the runs themselves that ended long before. */
export async function pruneRuns(
  transaction: Transaction,
  { logsBefore, runsBefore }: { logsBefore: Date; runsBefore: Date },
): Promise<void> {
  // A log never outlives its run.
  const before = new Date(Math.max(logsBefore.getTime(), runsBefore.getTime())).toISOString()
  await transaction
    .deleteFrom('run_log')
    .where('run_id', 'in', inner => inner.selectFrom('run').select('id').where('ended_at', '<', before))
    .execute()
  await transaction.deleteFrom('run').where('ended_at', '<', runsBefore.toISOString()).execute()
}
