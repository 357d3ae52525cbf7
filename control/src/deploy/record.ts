/** What agents tell about runs becomes what is stored of them. */
import type { RunError, RunLogLine, RunOutcome, RunProgress, Step } from '@quarterdeck/contract'
import type { Events } from '#events'
import { bySystem } from '#http'
import type { Transaction } from '#store'
import { findRun, isOver, type RunRow } from './run-row.ts'

/** Rows of one statement: databases take only so many values at once. */
const linesAtOnce = 1000

export async function recordProgress(
  transaction: Transaction,
  machine: string,
  progress: RunProgress,
): Promise<void> {
  await transaction
    .updateTable('run')
    .set(progressColumns(machine, progress))
    .where('id', '=', progress.run_id)
    .where('machine', '=', machine)
    .where('status', '=', 'running')
    .execute()
}

/** Lines that are known already are left as they are. */
export async function recordLog(
  transaction: Transaction,
  machine: string,
  runId: string,
  lines: readonly RunLogLine[],
): Promise<void> {
  if ((await findRun(transaction, runId))?.machine !== machine) return
  // PostgreSQL takes no NUL in text.
  const rows = lines.map(line => ({ run_id: runId, ...line, text: line.text.replaceAll('\0', '') }))
  for (let from = 0; from < rows.length; from += linesAtOnce) {
    await transaction
      .insertInto('run_log')
      .values(rows.slice(from, from + linesAtOnce))
      .onConflict(conflict => conflict.columns(['run_id', 'seq']).doNothing())
      .execute()
  }
}

/** A run ends once, by the machine that has it: what is told again, or by others, changes nothing, and gives undefined. */
export async function recordEnd(
  transaction: Transaction,
  events: Events,
  machine: string,
  { progress, outcome }: { progress: RunProgress; outcome: RunOutcome },
  now: string,
): Promise<RunRow | undefined> {
  const row = await findRun(transaction, progress.run_id)
  if (!row || isOver(row) || row.machine !== machine) return undefined
  const { status, error, restored_sha, unchanged = false } = outcome
  const isOvertaken = status === 'superseded' && !unchanged
  return end(transaction, events, row, {
    ...progressColumns(machine, progress),
    status,
    error: error && JSON.stringify(error),
    restored_sha,
    superseded_by: isOvertaken ? await lastSuccess(transaction, row) : null,
    ended_at: now,
  })
}

/** Its secrets cannot be read, so it is given to no machine. */
export async function recordUnreadable(
  transaction: Transaction,
  events: Events,
  row: RunRow,
  message: string,
  now: string,
): Promise<void> {
  const error = JSON.stringify({ code: 'secrets_unreadable', message } satisfies RunError)
  await end(transaction, events, row, { status: 'failed', error, started_at: now, ended_at: now })
}

async function end(
  transaction: Transaction,
  events: Events,
  before: RunRow,
  change: Partial<RunRow>,
): Promise<RunRow> {
  await transaction.updateTable('run').set(change).where('id', '=', before.id).execute()
  const row = { ...before, ...change }
  const { id, project, kind, status, ref, sha, error, restored_sha } = row
  await events.append(transaction, bySystem, {
    type: 'run.ended',
    subject: `run/${id}`,
    data: { project, kind, status, ref, sha, error: error === null ? null : JSON.parse(error), restored_sha },
  })
  return row
}

const progressColumns = (machine: string, { kind, ref_sha, sha, steps }: RunProgress) => ({
  kind,
  ref_sha,
  sha,
  steps: JSON.stringify(steps.map((step): Step => ({ ...step, machine }))),
})

/** What an overtaken call gave way to. */
async function lastSuccess(transaction: Transaction, { project, position }: RunRow): Promise<string | null> {
  const row = await transaction
    .selectFrom('run')
    .select('id')
    .where('project', '=', project)
    .where('status', '=', 'succeeded')
    .where('position', '<', position)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}
