/** Where the edge finds each project's web process: told at once, and again whenever it changes. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Unit } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import { type Events, Signal } from '#events'
import type { Fleet } from '#fleet'
import type { Store, Transaction } from '#store'

const retryMs = 1000

export interface GatewayRoute {
  readonly name: string
  /** Null: nothing of it is deployed, or it has no web process. */
  readonly target: { readonly address: string; readonly port: number } | null
  readonly state: 'running' | 'stopped' | 'failed' | 'not deployed'
}

export interface GatewayOptions {
  store: Store
  events: Events
  fleet: Fleet
  log: Logger
  ended: AbortSignal
}

const changing = ['project.created', 'project.changed', 'project.archived', 'instance.changed'] as const

/** Until `ended`. */
export async function followGateway(
  { store, events, fleet, log, ended }: GatewayOptions,
  tell: (routes: GatewayRoute[]) => void,
): Promise<void> {
  let told = ''
  const changed = new Signal()
  const stopWatching = events.watch(changing, () => changed.raise())
  while (!ended.aborted) {
    const next = changed.wait(ended)
    try {
      const routes = await store.read(transaction => routesOf(transaction, fleet))
      const text = JSON.stringify(routes)
      if (text !== told) tell(routes)
      told = text
      await next
    } catch (error) {
      log.error({ err: error }, 'the edge’s routes could not be read; trying again')
      await wait(retryMs, undefined, { signal: ended }).catch(() => undefined)
    }
  }
  stopWatching()
}

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
