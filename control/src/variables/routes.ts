import { operations } from '@quarterdeck/contract'
import { cursorOf, type Route, read, write } from '#http'
import type { Projects } from '#projects'
import { listRevisions, revisionCursor } from './revisions.ts'
import type { Variables } from './variables.ts'

export const variableRoutes = (variables: Variables, projects: Projects): Route[] => [
  read(operations.listVariables, (call, transaction) => variables.list(transaction, call.params.name)),
  write(operations.changeVariables, (call, transaction) =>
    variables.change(transaction, call.origin, call.params.name, call.body),
  ),
  write(operations.restoreVariables, (call, transaction) =>
    variables.restore(transaction, call.origin, call.params.name, call.body),
  ),
  read(operations.listVariableRevisions, async ({ params, query }, transaction) => {
    const { name } = await projects.named(transaction, params.name)
    return listRevisions(transaction, name, cursorOf(query, revisionCursor))
  }),
]
