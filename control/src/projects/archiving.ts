/** The end of a project: it and all that is only its own at once; its units when their machines can be reached (`removeUnits`). */
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Tokens } from '#tokens'
import type { Projects } from './projects.ts'

interface Forgetting {
  forget(transaction: Transaction, project: string): Promise<void>
}

export interface Archiving {
  projects: Projects
  tokens: Tokens
  variables: Forgetting
  repositories: Forgetting
}

export async function archiveProject(
  transaction: Transaction,
  origin: Origin,
  { projects, tokens, variables, repositories }: Archiving,
  name: string,
): Promise<void> {
  await projects.archive(transaction, origin, name)
  await tokens.revokeForProject(transaction, origin, name)
  await variables.forget(transaction, name)
  await repositories.forget(transaction, name)
}
