/** What is asked of agents about a project's units. It takes its time, so none of it happens inside a transaction. */
import {
  actLimitS,
  Fault,
  noVariables,
  type UnitAction,
  type UnitLog,
  unitLog,
  type VariableSet,
} from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Fleet } from '#fleet'
import type { Transaction } from '#store'
import type { Projects } from './projects.ts'
import { placedOf, type StoredProject, storedOf } from './stored-project.ts'

/** What units are started with. Whoever keeps variables offers it: they need projects themselves. */
export interface UnitVariables {
  newest(transaction: Transaction, project: string): Promise<{ revision: number; set: VariableSet }>
  /** The units of what runs were restarted with the variables of this revision. */
  startedWith(transaction: Transaction, project: string, revision: number): Promise<void>
  /** The project is archived. */
  forget(transaction: Transaction, project: string): Promise<void>
}

export interface UnitsDone {
  action: UnitAction
  machines: string[]
  /** Of the variables that they were restarted with. */
  revision: number | null
}

/** A stop needs none, nor a key to read them. */
const none = { revision: null, set: { id: noVariables, values: {}, secrets: [] } }

/** Starts, stops or restarts a project's units on all of its machines. */
export async function actOnUnits(
  projects: Projects,
  fleet: Fleet,
  variables: UnitVariables,
  name: string,
  action: UnitAction,
): Promise<UnitsDone> {
  const project = await projects.idle(name)
  const machines = machinesOf(fleet, project)
  // Before any: rather nothing happens than half of it.
  const away = machines.find(machine => !fleet.isConnected(machine))
  if (away !== undefined) throw unreachable(`The agent on ${away} is not connected.`)
  const { set, revision } =
    action === 'stop' ? none : await projects.store.read(transaction => variables.newest(transaction, name))
  const question = { what: 'act', action, project: placedOf(project), variables: set } as const
  await Promise.all(machines.map(machine => fleet.ask(machine, question, actLimitS(project) * 1000)))
  // What runs already is not started: it goes on with what it has.
  return { action, machines, revision: action === 'restart' ? revision : null }
}

export interface UnitLogWanted {
  process: string
  machine?: string | undefined
  lines: number
  /** Where to go on; without it the last lines. */
  after?: number | undefined
}

/** What a unit itself has written, on the first of the project's machines unless one is named. */
export async function readUnitLog(
  projects: Projects,
  fleet: Fleet,
  name: string,
  { process, machine, lines, after }: UnitLogWanted,
): Promise<UnitLog> {
  const project = await projects.store.read(transaction => projects.named(transaction, name))
  refuseUnknown(
    'process',
    process,
    project.processes.map(each => each.name),
  )
  const machines = machinesOf(fleet, project)
  if (machine !== undefined) refuseUnknown('machine', machine, machines)
  const question = { what: 'unit_log', project: name, process, lines, after: after ?? null } as const
  return unitLog.parse(await fleet.ask(machine ?? machines[0]!, question))
}

/** Takes an archived project's units away, wherever there may be some. Throws when a machine could not do it now. */
export async function removeUnits(projects: Projects, fleet: Fleet, name: string): Promise<void> {
  const machines = await projects.store.read(async transaction => {
    const row = await transaction
      .selectFrom('project')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    const told = await transaction
      .selectFrom('instance')
      .select('machine')
      .where('project', '=', name)
      .execute()
    const placed = row ? fleet.placement(storedOf(row)).map(machine => machine.name) : []
    return new Set([...placed, ...told.map(({ machine }) => machine)])
  })
  const outcomes = await Promise.allSettled(
    [...machines].map(machine => removeFrom(projects, fleet, name, machine)),
  )
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed) throw failed.reason
}

/** From now on: what was archived while a machine was away is taken from it when it is back. */
export function removeArchivedUnits(projects: Projects, fleet: Fleet, log: Logger): void {
  fleet.onMessage((machine, { type }) => {
    if (type !== 'hello') return
    archivedOn(projects, machine)
      .then(names => Promise.all(names.map(name => removeFrom(projects, fleet, name, machine))))
      .catch(error => log.warn({ err: error, machine }, 'units of an archived project could not be removed'))
  })
}

function archivedOn(projects: Projects, machine: string): Promise<string[]> {
  return projects.store.read(async transaction => {
    const rows = await transaction
      .selectFrom('instance')
      .innerJoin('project', 'project.name', 'instance.project')
      .select('project.name')
      .where('instance.machine', '=', machine)
      .where('project.archived_at', 'is not', null)
      .execute()
    return rows.map(({ name }) => name)
  })
}

/** The machine tells of an instance until its units are gone, and it is how they are found again. */
async function removeFrom(projects: Projects, fleet: Fleet, name: string, machine: string): Promise<void> {
  await fleet.ask(machine, { what: 'remove', project: name })
  await projects.store.write(transaction =>
    transaction.deleteFrom('instance').where('project', '=', name).where('machine', '=', machine).execute(),
  )
}

function machinesOf(fleet: Fleet, project: StoredProject): string[] {
  const machines = fleet.placement(project).map(({ name }) => name)
  if (machines.length === 0) throw unreachable(`There is no machine for the project ${project.name}.`)
  return machines
}

function refuseUnknown(field: string, sent: string, known: readonly string[]): void {
  if (known.includes(sent)) return
  throw new Fault('invalid_fields', `The project has no ${field} ${sent}.`, {
    fields: [{ field, message: `must be one of ${known.join(', ')}` }],
  })
}

const unreachable = (detail: string) => new Fault('machine_unreachable', detail, { retryAfterS: 5 })
