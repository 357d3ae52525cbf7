import { operations } from '@quarterdeck/contract'
import type { Fleet } from '#fleet'
import { type Route, read, respond, write } from '#http'
import type { Projects } from '#projects'
import { hostKeysOf } from './host-keys.ts'
import type { PrivateRepositories } from './private-repositories.ts'

export interface RepositoryAccessRoutes {
  repositories: PrivateRepositories
  projects: Projects
  fleet: Fleet
}

export const repositoryAccessRoutes = ({
  repositories,
  projects,
  fleet,
}: RepositoryAccessRoutes): Route[] => [
  read(operations.readRepositoryAccess, (call, transaction) =>
    repositories.read(transaction, call.params.name),
  ),
  write(operations.createDeployKey, (call, transaction) =>
    repositories.createKey(transaction, call.origin, call.params.name, call.body),
  ),
  write(operations.removeDeployKey, (call, transaction) =>
    repositories.removeKey(transaction, call.origin, call.params.name),
  ),
  respond(operations.listHostKeys, async ({ params }) => ({
    status: 200,
    value: await hostKeysOf(projects, fleet, params.name),
  })),
  write(operations.pinHostKeys, (call, transaction) =>
    repositories.pin(transaction, call.origin, call.params.name, call.body),
  ),
  write(operations.setRepositoryToken, (call, transaction) =>
    repositories.setToken(transaction, call.origin, call.params.name, call.body),
  ),
  write(operations.removeRepositoryToken, (call, transaction) =>
    repositories.removeToken(transaction, call.origin, call.params.name),
  ),
]
