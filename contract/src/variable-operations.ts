/** The variables of a project. */
import { byName, operation, pageQuery } from './operation.ts'
import {
  variableChangeDocument,
  variableListDocument,
  variableRestoreDocument,
  variableRevisionPageDocument,
} from './variable.ts'

export const variableOperations = {
  listVariables: operation({
    method: 'GET',
    path: '/api/projects/{name}/variables',
    summary: 'Variables of a project; of secrets only their names',
    params: byName,
    answer: { status: 200, document: variableListDocument },
  }),
  changeVariables: operation({
    method: 'PATCH',
    path: '/api/projects/{name}/variables',
    summary: 'Set and unset variables; they count from the next deploy or restart',
    params: byName,
    body: variableChangeDocument,
    answer: { status: 200, document: variableListDocument },
  }),
  listVariableRevisions: operation({
    method: 'GET',
    path: '/api/projects/{name}/variables/revisions',
    summary: 'Who changed which variables when, newest first',
    params: byName,
    query: pageQuery,
    answer: { status: 200, document: variableRevisionPageDocument },
  }),
  restoreVariables: operation({
    method: 'POST',
    path: '/api/projects/{name}/variables/restore',
    summary: 'Bring the variables of an earlier revision back, as a new one',
    params: byName,
    body: variableRestoreDocument,
    answer: { status: 200, document: variableListDocument },
  }),
} as const
