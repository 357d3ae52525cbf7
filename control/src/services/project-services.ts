/** Every project is a service; its instances are where agents say that a release of it is in place. */
import type { Unit } from '@quarterdeck/contract'
import type { ExpressionBuilder } from 'kysely'
import type { Fleet } from '#fleet'
import { type StoredProject, storedOf, webOf } from '#projects'
import type { Tables, Transaction } from '#store'
import { apiPaths, type Condition, instanceId, type MonitoredInstance, type MonitoredService } from '#watch'

type InstanceRow = Pick<
  Tables['instance'],
  'project' | 'machine' | 'sha' | 'proven_sha' | 'port' | 'units' | 'updated_at'
>

export interface ProjectServices {
  fleet: Fleet
  url(project: string): string
  /** Of a runbook, from its page in the handbook or from its address. */
  runbook(named: string): string
}

export async function projectServices(
  transaction: Transaction,
  { fleet, url, runbook }: ProjectServices,
): Promise<MonitoredService[]> {
  const projects = await transaction
    .selectFrom('project')
    .selectAll()
    .select(({ selectFrom }) => lastDeploy(selectFrom).as('deployed_at'))
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute()
  const instances = Map.groupBy(await inPlace(transaction), ({ project }) => project)
  return projects.map(row => {
    const project = storedOf(row)
    const { name, group, description, depends_on } = project
    const rows = instances.get(name) ?? []
    return {
      id: name,
      name,
      group,
      description,
      kind: 'project',
      dependsOn: depends_on,
      site: webOf(project) ? url(name) : null,
      runbook: project.runbook === null ? null : runbook(project.runbook),
      deployedAt: row.deployed_at,
      instances: rows.flatMap(instance => monitoredInstance(project, instance, fleet)),
    }
  })
}

function monitoredInstance(project: StoredProject, row: InstanceRow, fleet: Fleet): MonitoredInstance[] {
  const { name, repository, metrics_path } = project
  const machine = fleet.machines.find(one => one.name === row.machine)
  const common = { id: instanceId(name, row.machine), machine: row.machine }
  if (row.port === null) return [{ ...common, kind: 'told', condition: conditionOfUnits(row) }]
  // The machine is no longer one of ours.
  if (!machine) return []
  return [
    {
      ...common,
      kind: 'api',
      server: { host: machine.address, port: row.port, isTls: false },
      paths: apiPaths('', metrics_path),
      // What a deploy has proven: another commit, checked out by hand, is drift.
      expected: { names: [name, repository.split('/')[1]!], sha: row.proven_sha ?? row.sha },
    },
  ]
}

function conditionOfUnits({ units, updated_at }: InstanceRow): Condition {
  const since = Math.floor(Date.parse(updated_at) / 1000)
  const bad = (JSON.parse(units) as Unit[]).find(({ state }) => state === 'failed' || state === 'stopped')
  if (!bad) return { state: 'up', since, reason: null }
  return {
    state: 'down',
    since,
    reason: { code: 'connect', message: `Its unit ${bad.name} is ${bad.state}.` },
  }
}

const inPlace = (transaction: Transaction): Promise<InstanceRow[]> =>
  transaction
    .selectFrom('instance')
    .select(['project', 'machine', 'sha', 'proven_sha', 'port', 'units', 'updated_at'])
    .where('sha', 'is not', null)
    .orderBy('machine')
    .execute()

/** Newest first, along an index: of many runs only the last ones are looked at. */
const lastDeploy = (selectFrom: ExpressionBuilder<Tables, 'project'>['selectFrom']) =>
  selectFrom('run')
    .select('run.ended_at')
    .whereRef('run.project', '=', 'project.name')
    .where('run.status', '=', 'succeeded')
    .orderBy('run.position', 'desc')
    .limit(1)
