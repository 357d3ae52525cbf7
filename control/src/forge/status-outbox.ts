/**
 * What is to be written to forges: a reader of the events keeps, for each commit, its newest status and whether it was
 * sent. It is on disk with the reader's place, so nothing is lost with the process.
 */
import type { Clock } from '@quarterdeck/kit'
import { sql } from 'kysely'
import { findRun, type RunRow } from '#deploy'
import type { EventReader } from '#events'
import { prepared, type Tables, type Transaction } from '#store'
import { commitsOf, statusOf } from './commit-status.ts'
import type { Forges } from './forges.ts'

export type StatusRow = Tables['commit_status']

const keptMs = 30 * 86_400_000
/** A run may give way to one that gives way, and so on; nobody follows for ever. */
const longestChain = 1000

const types = ['run.accepted', 'run.started', 'run.ended', 'project.archived'] as const

/** `onChange` is called when something may be due once the transaction is committed. */
export const statusReader = (forges: Forges, clock: Clock, onChange: () => void): EventReader => ({
  name: 'commit-statuses',
  types,
  async handle(transaction, after, upTo) {
    // Every accepted run comes by here, and most environments have no forge to tell.
    if ((await selectAnyForge(transaction, {})).length === 0) return
    const happened = await transaction
      .selectFrom('event')
      .select(['type', 'subject'])
      .distinct()
      .where('position', '>', after)
      .where('position', '<=', upTo)
      .where('type', 'in', types)
      .execute()
    const named = (kind: 'project/' | 'run/') =>
      happened
        .filter(({ subject }) => subject.startsWith(kind))
        .map(({ subject }) => subject.slice(kind.length))
    for (const project of named('project/')) await forges.forget(transaction, project)
    const runs = await reported(transaction, [...new Set(named('run/'))])
    const now = clock.now().toISOString()
    for (const run of [...runs, ...(await waiting(transaction, runs))]) {
      const standing = await standingFor(transaction, run)
      for (const sha of commitsOf(run)) await keep(transaction, run, standing, sha, now)
    }
    if (runs.length > 0) onChange()
  },
})

const selectAnyForge = prepared<object, { project: string }>(transaction =>
  transaction.selectFrom('forge').select('project').limit(sql.lit(1)),
)

/** Of the runs, those of projects whose statuses are written. */
async function reported(transaction: Transaction, ids: readonly string[]): Promise<RunRow[]> {
  if (ids.length === 0) return []
  return transaction
    .selectFrom('run')
    .innerJoin('forge', 'forge.project', 'run.project')
    .selectAll('run')
    .where('forge.status_token', 'is not', null)
    .where('run.id', 'in', ids)
    .orderBy('run.position')
    .execute()
}

/** Runs of the same projects whose commits wait for another run to end, which has taken their place. */
async function waiting(transaction: Transaction, runs: readonly RunRow[]): Promise<RunRow[]> {
  const projects = [...new Set(runs.map(({ project }) => project))]
  if (projects.length === 0) return []
  return transaction
    .selectFrom('run')
    .selectAll()
    .where('id', 'in', inner =>
      inner
        .selectFrom('commit_status')
        .select('run_id')
        .where('project', 'in', projects)
        .where('state', '=', 'pending'),
    )
    .where('status', '=', 'superseded')
    .orderBy('position')
    .execute()
}

/** The run that took its place, if a newer one did. One that came late gave way to an older one, and has ended. */
async function standingFor(transaction: Transaction, run: RunRow): Promise<RunRow> {
  let standing = run
  for (let step = 0; step < longestChain && standing.superseded_by !== null; step++) {
    const next = await findRun(transaction, standing.superseded_by)
    if (!next || next.position < standing.position) break
    standing = next
  }
  return standing
}

/** A later run of the same commit has the last word; what says the same is no news. */
async function keep(transaction: Transaction, run: RunRow, standing: RunRow, sha: string, now: string) {
  const { project } = run
  const { state, description } = statusOf(run, standing)
  const known = await find(transaction, project, sha)
  if (known && known.run_position > run.position) return
  const isSame = known?.run_id === run.id && known.state === state
  // With whom it waits is no news: only how that ends.
  if (isSame && (known.description === description || standing.id !== run.id)) return
  // A forge that asked to be left alone for a while is.
  const due_at = known?.due_at && known.tries > 0 && known.due_at > now ? known.due_at : now
  const row = {
    ...{ run_id: run.id, run_position: run.position, state, description, due_at, updated_at: now },
    ...{ version: (known?.version ?? 0) + 1, tries: 0 },
  }
  await transaction
    .insertInto('commit_status')
    .values({ project, sha, leased_until: null, ...row })
    .onConflict(conflict => conflict.columns(['project', 'sha']).doUpdateSet(row))
    .execute()
}

const find = (transaction: Transaction, project: string, sha: string): Promise<StatusRow | undefined> =>
  transaction
    .selectFrom('commit_status')
    .selectAll()
    .where('project', '=', project)
    .where('sha', '=', sha)
    .executeTakeFirst()

export async function pruneStatuses(transaction: Transaction, clock: Clock): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMs).toISOString()
  await transaction
    .deleteFrom('commit_status')
    .where('updated_at', '<', before)
    .where('due_at', 'is', null)
    .execute()
}
