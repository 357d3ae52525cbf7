/** Problems as they are stored, and what their alerts amount to. */
import type { Severity } from '@quarterdeck/contract'
import { prepared, type Tables, type Transaction } from '#store'
import { severityOfRank } from './labels.ts'
import type { ProblemState, Telling } from './problem-state.ts'

export type ProblemRow = Tables['problem']

export const stateOf = (row: ProblemRow): ProblemState => ({
  state: row.state === 'open' ? 'open' : 'resolved',
  version: row.version,
  telling: row.telling as Telling | null,
  tellMs: row.tell_at === null ? null : Date.parse(row.tell_at),
  toldMs: row.told_at === null ? null : Date.parse(row.told_at),
  dueMs: row.due_at === null ? null : Date.parse(row.due_at),
})

export const columnsOf = (state: ProblemState) => ({
  state: state.state,
  version: state.version,
  telling: state.telling,
  tell_at: state.tellMs === null ? null : timeOf(state.tellMs),
  told_at: state.toldMs === null ? null : timeOf(state.toldMs),
  due_at: state.dueMs === null ? null : timeOf(state.dueMs),
})

export const timeOf = (ms: number): string => new Date(ms).toISOString()

export interface OpenAlerts {
  readonly open: number
  readonly lost: number
  readonly unacknowledged: number
  /** The worst of them. */
  readonly severity: Severity
}

/** Of the alerts of a problem that are not over. */
export async function openAlerts(transaction: Transaction, problemId: string): Promise<OpenAlerts> {
  const rows = await selectOpen(transaction, { problemId })
  const sum = (count: (row: OpenCount) => number) => rows.reduce((total, row) => total + count(row), 0)
  return {
    open: sum(({ alerts }) => Number(alerts)),
    lost: sum(({ state, alerts }) => (state === 'source_lost' ? Number(alerts) : 0)),
    unacknowledged: sum(({ alerts, acknowledged }) => Number(alerts) - Number(acknowledged)),
    severity: severityOfRank(Math.min(...rows.map(({ severity_rank }) => severity_rank), 2)),
  }
}

interface OpenCount {
  state: string
  severity_rank: number
  alerts: number | string | bigint
  acknowledged: number | string | bigint
}

const selectOpen = prepared<{ problemId: string }, OpenCount>((transaction, hole) =>
  transaction
    .selectFrom('alert')
    .select(({ fn }) => [
      'state',
      'severity_rank',
      fn.countAll().as('alerts'),
      fn.count('acknowledged_at').as('acknowledged'),
    ])
    .where('problem_id', '=', hole('problemId'))
    .where('open_key', 'is not', null)
    .groupBy(['state', 'severity_rank']),
)

export const findProblem = (transaction: Transaction, id: string): Promise<ProblemRow | undefined> =>
  transaction.selectFrom('problem').selectAll().where('id', '=', id).executeTakeFirst()

export async function updateProblem(
  transaction: Transaction,
  id: string,
  change: Partial<ProblemRow>,
): Promise<void> {
  await transaction.updateTable('problem').set(change).where('id', '=', id).execute()
}
