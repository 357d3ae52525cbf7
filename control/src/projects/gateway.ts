/** Where the edge finds each project's web process: told at once, and again whenever it changes. */
import type { Unit } from '@quarterdeck/contract'
import { type Following, keepTold } from '#events'
import type { Fleet } from '#fleet'
import type { Transaction } from '#store'

export interface GatewayRoute {
  readonly name: string
  /** Null: nothing of it is deployed, or it has no web process. */
  readonly target: { readonly address: string; readonly port: number } | null
  readonly state: 'running' | 'stopped' | 'failed' | 'not deployed'
}

/** Until it is ended. */
export const followGateway = (
  { fleet, ...following }: Following & { fleet: Fleet },
  tell: (routes: GatewayRoute[]) => void,
): Promise<void> =>
  keepTold(following, {
    what: 'the edge’s routes',
    changing: ['project.created', 'project.changed', 'project.archived', 'instance.changed'],
    read: transaction => routesOf(transaction, fleet),
    tell,
  })

async function routesOf(transaction: Transaction, fleet: Fleet): Promise<GatewayRoute[]> {
  const projects = await transaction
    .selectFrom('project')
    .select('name')
    .where('archived_at', 'is', null)
    .orderBy('name')
    .execute()
  const instances = await transaction
    .selectFrom('instance')
    .select(['project', 'machine', 'port', 'units'])
    .where('sha', 'is not', null)
    .orderBy('machine')
    .execute()
  return projects.map(({ name }) => {
    const instance = instances.find(({ project }) => project === name)
    const machine = fleet.machines.find(one => one.name === instance?.machine)
    const target = machine && instance?.port ? { address: machine.address, port: instance.port } : null
    return { name, target, state: instance ? stateOf(JSON.parse(instance.units) as Unit[]) : 'not deployed' }
  })
}

/** The worst of its units. A timer that waits for its time is as it should be. */
function stateOf(units: readonly Unit[]): GatewayRoute['state'] {
  if (units.some(({ state }) => state === 'failed')) return 'failed'
  return units.length === 0 || units.some(({ state }) => state === 'stopped') ? 'stopped' : 'running'
}
