/** Which variables a run is done with: decided when it begins, and the newest after a rollback. */
import { type Confidential, noVariables, type RunOrder, type VariableSet } from '@quarterdeck/contract'
import { isUnreadable } from '#secrets'
import type { Transaction } from '#store'
import type { Variables } from '#variables'
import { earlierRevision } from './earlier.ts'
import type { RunRow } from './run-row.ts'

/** Decided when a run begins, and kept: however often it is told, it is the same. */
export type Settled = Pick<RunRow, 'variables_revision' | 'rollback_revision' | 'variable_sets'>

/** Throws `secret_key_unusable` when a secret of the project cannot be read. */
export async function settleVariables(
  transaction: Transaction,
  variables: Variables,
  row: RunRow,
): Promise<{ settled: Settled; confidential: Confidential }> {
  const variables_revision = await variables.revision(transaction, row.project)
  if (variables_revision === 0)
    return { settled: { ...without, variables_revision }, confidential: { variables: [] } }
  const rollback_revision = await earlierRevision(transaction, row)
  const settled = { variables_revision, rollback_revision }
  const sets = await readSets(transaction, variables, { ...row, ...settled })
  const ids = { deploy: sets.deploy.id, rollback: sets.rollback.id }
  return {
    settled: { ...settled, variable_sets: JSON.stringify(ids) },
    confidential: { variables: distinct(sets) },
  }
}

const without = { rollback_revision: null, variable_sets: null }

/** Of a run that is told again. What cannot be read any more its machine has, or it says that it has not. */
export async function confidentialOf(
  transaction: Transaction,
  variables: Variables,
  row: RunRow,
): Promise<Confidential> {
  if (row.variable_sets === null) return { variables: [] }
  try {
    return { variables: distinct(await readSets(transaction, variables, row)) }
  } catch (error) {
    if (isUnreadable(error)) return { variables: [] }
    throw error
  }
}

/** A rollback has ended well: the variables that it brought back are the newest from now on. */
export async function keepRolledBack(
  transaction: Transaction,
  variables: Variables,
  row: RunRow,
): Promise<void> {
  if (row.variables_revision === null || row.rollback_revision === null) return
  const origin = { by: row.trigger_by, from: row.trigger_from, requestId: null }
  const variables_revision = await variables.rolledBack(transaction, origin, {
    project: row.project,
    runId: row.id,
    begunAt: row.variables_revision,
    to: row.rollback_revision,
    withSecrets: row.with_secrets === 1,
  })
  await transaction.updateTable('run').set({ variables_revision }).where('id', '=', row.id).execute()
}

interface Sets {
  deploy: VariableSet
  rollback: VariableSet
}

async function readSets(transaction: Transaction, variables: Variables, row: RunRow): Promise<Sets> {
  const { project, variables_revision: now, rollback_revision: then, with_secrets } = row
  const deploy = await variables.setAt(transaction, project, now ?? 0)
  if (then === null || then === now) return { deploy, rollback: deploy }
  const secretsAt = with_secrets === 1 ? then : (now ?? 0)
  return { deploy, rollback: await variables.setAt(transaction, project, then, { secretsAt }) }
}

/** The one without any has nothing to be told. */
const distinct = ({ deploy, rollback }: Sets): VariableSet[] =>
  [deploy, ...(rollback.id === deploy.id ? [] : [rollback])].filter(({ id }) => id !== noVariables)

/** Which of them the order names. */
export const setsOf = ({ variable_sets }: RunRow): RunOrder['variables'] =>
  variable_sets === null
    ? { deploy: noVariables, rollback: noVariables }
    : (JSON.parse(variable_sets) as RunOrder['variables'])
