/** What projects, their runs and watched services tell about a service. Maintenances are told by whoever keeps them. */
import { Fault, type ServiceEntry } from '@quarterdeck/contract'
import type { Projects } from '#projects'
import type { Services } from '#services'
import type { Transaction } from '#store'
import { outageAt } from '#watch'
import type { ServiceContext, Surroundings } from './settings.ts'

export interface Knowing {
  projects: Projects
  services: Services
  /** The address of a service on the status page. */
  pageOf(service: string): string
  /** Whether downtime of a service is announced for this moment; by default never. */
  inMaintenance?: Surroundings['inMaintenance']
}

export const knownSurroundings = ({
  projects,
  services,
  pageOf,
  inMaintenance = async () => false,
}: Knowing): Surroundings => {
  const known = async (transaction: Transaction, name: string) =>
    (await projects.find(transaction, name)) ?? (await watched(services, transaction, name))
  return {
    inMaintenance,
    outageAt,
    async dependsOn(transaction, service) {
      return (await known(transaction, service))?.depends_on ?? []
    },
    async context(transaction, service): Promise<ServiceContext | undefined> {
      const found = await known(transaction, service)
      if (!found) return undefined
      return {
        group: found.group,
        runbook: found.runbook ?? null,
        page: pageOf(service),
        deploy: await lastDeploy(transaction, service),
      }
    },
  }
}

async function watched(
  services: Services,
  transaction: Transaction,
  name: string,
): Promise<ServiceEntry | undefined> {
  try {
    return await services.read(transaction, name)
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}

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
