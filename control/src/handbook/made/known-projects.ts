/** What the store knows of every project, for its page. */
import type { Project } from '@quarterdeck/contract'
import type { Projects } from '#projects'
import type { Transaction } from '#store'
import type { LastProblem, LastRun } from './project-pages.ts'

const runsShown = 5
const problemsShown = 5
/** Of all projects together. */
const problemsRead = 1000
const batch = 200

export interface ProjectFacts {
  readonly project: Project
  readonly runs: readonly LastRun[]
  readonly problems: readonly LastProblem[]
}

export async function knownProjects(transaction: Transaction, projects: Projects): Promise<ProjectFacts[]> {
  const known: ProjectFacts[] = []
  const problems = await lastProblems(transaction)
  let after: string | undefined
  do {
    const { items } = await projects.list(transaction, { limit: batch, after })
    for (const project of items)
      known.push({
        project,
        runs: await lastRuns(transaction, project.name),
        problems: problems.get(project.name)?.slice(0, problemsShown) ?? [],
      })
    after = items.length === batch ? items.at(-1)!.name : undefined
  } while (after !== undefined)
  return known
}

/** By service, the newest first. */
async function lastProblems(transaction: Transaction): Promise<Map<string, LastProblem[]>> {
  const rows = await transaction
    .selectFrom('problem')
    .select(['service', 'group_labels', 'severity', 'opened_at', 'ended_at'])
    .where('service', 'is not', null)
    .where('state', '!=', 'notice')
    .orderBy('opened_at', 'desc')
    .limit(problemsRead)
    .execute()
  const problems = Map.groupBy(rows, ({ service }) => service!)
  return new Map(
    [...problems].map(([service, list]) => [
      service,
      list.map(({ group_labels, severity, opened_at, ended_at }) => ({
        name: (JSON.parse(group_labels) as { alertname?: string }).alertname ?? 'Many alerts at once',
        severity,
        openedAt: opened_at,
        endedAt: ended_at,
      })),
    ]),
  )
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
