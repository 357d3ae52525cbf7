/** What the projects and their runs tell about services. Dependencies and maintenances are told by whoever keeps them. */
import type { Projects } from '#projects'
import type { Transaction } from '#store'
import type { ServiceContext, Surroundings } from './settings.ts'

export const projectSurroundings = (
  projects: Projects,
  others: Partial<Pick<Surroundings, 'dependsOn' | 'inMaintenance'>> = {},
): Surroundings => ({
  dependsOn: async () => [],
  inMaintenance: async () => false,
  ...others,
  async context(transaction, service): Promise<ServiceContext | undefined> {
    const project = await projects.find(transaction, service)
    if (!project) return undefined
    return {
      group: project.group,
      runbook: project.runbook ?? null,
      deploy: await lastDeploy(transaction, service),
    }
  },
})

async function lastDeploy(transaction: Transaction, project: string): Promise<ServiceContext['deploy']> {
  const run = await transaction
    .selectFrom('run')
    .select(['id', 'sha', 'trigger_by', 'ended_at'])
    .where('project', '=', project)
    .where('status', '=', 'succeeded')
    .where('sha', 'is not', null)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return run ? { sha: run.sha!, by: run.trigger_by, at: run.ended_at!, runId: run.id } : null
}
