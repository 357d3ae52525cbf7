import { operations, type UnitAction } from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import { type Call, cursorOf, type Route, read, respond, write } from '#http'
import type { Transaction } from '#store'
import { type Tokens, tokenCursor } from '#tokens'
import { adoptUnits, listCandidates } from './adopting.ts'
import { archiveProject } from './archiving.ts'
import type { Projects } from './projects.ts'
import { actOnUnits, readUnitLog, removeUnits, type UnitVariables } from './units.ts'

const nameCursor = /^[a-z][a-z0-9-]{0,62}$/

export interface ProjectRoutes {
  projects: Projects
  tokens: Tokens
  fleet: Fleet
  variables: UnitVariables
  /** Whoever keeps secrets for projects. */
  repositories: { forget(transaction: Transaction, project: string): Promise<void> }
}

export const projectRoutes = (options: ProjectRoutes): Route[] => [
  ...registry(options),
  archive(options),
  ...deployTokens(options),
  ...units(options),
]

const registry = ({ projects, fleet }: ProjectRoutes): Route[] => [
  read(operations.listProjects, (call, transaction) =>
    projects.list(transaction, cursorOf(call.query, nameCursor), call.identity.projects),
  ),
  write(
    operations.createProject,
    (call, transaction, busy) => projects.create(transaction, call.origin, call.body, busy),
    {
      prepare: async ({ body }: Call<typeof operations.createProject>) => {
        if (body.adopted) await adoptUnits(projects, fleet, body)
        return projects.busyPorts(body)
      },
    },
  ),
  respond(operations.listCandidates, async ({ query }) => ({
    status: 200,
    value: await listCandidates(fleet, query.machine),
  })),
  read(operations.readProject, (call, transaction) => projects.read(transaction, call.params.name)),
  write(
    operations.changeProject,
    (call, transaction, busy) => projects.change(transaction, call.origin, call.params.name, call.body, busy),
    {
      prepare: (call: Call<typeof operations.changeProject>) =>
        projects.busyPortsAfter(call.params.name, call.body),
    },
  ),
  write(operations.holdProject, (call, transaction) =>
    projects.hold(transaction, call.origin, call.params.name, call.body.reason ?? null),
  ),
  write(operations.resumeProject, (call, transaction) =>
    projects.resume(transaction, call.origin, call.params.name),
  ),
]

/** Project, tokens, variables and keys end at once; the units end when their machines can be reached. */
const archive = ({ projects, tokens, fleet, variables, repositories }: ProjectRoutes): Route =>
  write(
    operations.archiveProject,
    async ({ origin, params: { name } }, transaction) => {
      await archiveProject(transaction, origin, { projects, tokens, variables, repositories }, name)
      return undefined
    },
    { afterwards: call => removeUnits(projects, fleet, call.params.name) },
  )

const deployTokens = ({ projects, tokens }: ProjectRoutes): Route[] => [
  read(operations.listDeployTokens, async ({ params, query }, transaction) => {
    const { name } = await projects.named(transaction, params.name)
    return tokens.list(transaction, { kind: 'deploy', project: name }, cursorOf(query, tokenCursor))
  }),
  write(operations.createDeployToken, async ({ origin, params, body }, transaction) => {
    const { name } = await projects.named(transaction, params.name)
    return tokens.create(transaction, origin, 'deploy', body, name)
  }),
]

const units = (options: ProjectRoutes): Route[] => [
  act(operations.startUnits, 'start', options),
  act(operations.stopUnits, 'stop', options),
  act(operations.restartUnits, 'restart', options),
  respond(operations.readUnitLog, async ({ params, query }) => ({
    status: 200,
    value: await readUnitLog(options.projects, options.fleet, params.name, query),
  })),
]

type Acting = typeof operations.startUnits | typeof operations.stopUnits | typeof operations.restartUnits

/** It is done first and recorded then: a record of what did not happen would be worse than a repetition. */
const act = (operation: Acting, action: UnitAction, { projects, fleet, variables }: ProjectRoutes): Route =>
  write(
    operation,
    async ({ origin, params: { name } }, transaction, { revision, ...done }) => {
      if (revision !== null) await variables.startedWith(transaction, name, revision)
      return projects.acted(transaction, origin, name, done)
    },
    { prepare: (call: Call<Acting>) => actOnUnits(projects, fleet, variables, call.params.name, action) },
  )
