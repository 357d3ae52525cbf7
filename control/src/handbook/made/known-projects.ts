/** What the store knows of every project, for its page. */
import type { Project } from '@quarterdeck/contract'
import type { Projects } from '#projects'
import type { Transaction } from '#store'
import type { LastRun } from './project-pages.ts'

const runsShown = 5
const batch = 200

export interface ProjectFacts {
  readonly project: Project
  readonly runs: readonly LastRun[]
}

export async function knownProjects(transaction: Transaction, projects: Projects): Promise<ProjectFacts[]> {
  const known: ProjectFacts[] = []
  let after: string | undefined
  do {
    const { items } = await projects.list(transaction, { limit: batch, after })
    for (const project of items) known.push({ project, runs: await lastRuns(transaction, project.name) })
    after = items.length === batch ? items.at(-1)!.name : undefined
  } while (after !== undefined)
  return known
}

async function lastRuns(transaction: Transaction, project: string): Promise<LastRun[]> {
  const rows = await transaction
    .selectFrom('run')
    .select(['sha', 'kind', 'status', 'ended_at', 'created_at', 'error'])
    .where('project', '=', project)
    .where('ended_at', 'is not', null)
    .orderBy('position', 'desc')
    .limit(runsShown)
    .execute()
  return rows.map(({ sha, kind, status, ended_at, created_at, error }) => ({
    sha,
    kind,
    status,
    endedAt: ended_at,
    createdAt: created_at,
    error: error === null ? null : ((JSON.parse(error) as { code?: string }).code ?? null),
  }))
}
