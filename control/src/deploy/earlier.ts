/** What earlier runs tell: which commits were sent before, and what there is to go back to. */
import type { Transaction } from '#store'
import type { RunRow } from './run-row.ts'

/** Commits, perhaps shortened, that `ref` may stand for and that were asked for in runs that ended well or gave way. */
export async function sentBefore(transaction: Transaction, { project, ref }: RunRow): Promise<string[]> {
  if (ref === null) return []
  const shortest = ref.slice(0, 7)
  const rows = await transaction
    .selectFrom('run')
    .select(['ref', 'ref_sha'])
    .distinct()
    .where('project', '=', project)
    .where('status', 'in', ['succeeded', 'superseded'])
    .where(({ or, eb }) => or([eb('ref', 'like', `${shortest}%`), eb('ref_sha', 'like', `${shortest}%`)]))
    .execute()
  const commits = rows.map(row => row.ref_sha ?? row.ref ?? '')
  return [...new Set(commits)].filter(commit => commit.startsWith(ref) || ref.startsWith(commit))
}

/** The commit that was deployed and proven before `running` was first; undefined when there is none. */
export async function previousSha(
  transaction: Transaction,
  project: string,
  running: string | null,
): Promise<string | undefined> {
  const deployed = () =>
    transaction
      .selectFrom('run')
      .select(['sha', 'position'])
      .where('project', '=', project)
      .where('kind', '=', 'deploy')
      .where('status', '=', 'succeeded')
      .where('sha', 'is not', null)
  const first =
    running === null
      ? undefined
      : await deployed().where('sha', '=', running).orderBy('position').limit(1).executeTakeFirst()
  let before = deployed().orderBy('position', 'desc').limit(1)
  if (first) before = before.where('position', '<', first.position)
  if (running !== null) before = before.where('sha', '!=', running)
  return (await before.executeTakeFirst())?.sha ?? undefined
}

/** The revision of the variables that the commit `ref` stands for last ran with; null when it never ran, as far as is known. */
export async function earlierRevision(
  transaction: Transaction,
  { project, ref }: RunRow,
): Promise<number | null> {
  if (ref === null) return null
  const last = (column: 'sha' | 'ref_sha') =>
    transaction
      .selectFrom('run')
      .select('variables_revision')
      .where('project', '=', project)
      .where('status', '=', 'succeeded')
      .where('variables_revision', 'is not', null)
      .where(column, 'like', `${ref}%`)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst()
  // One that asked for it and deployed what had come after it knows better than none.
  const row = (await last('sha')) ?? (await last('ref_sha'))
  return row?.variables_revision ?? null
}
