/** What every webhook call asks of the database, compiled once. */
import { sql } from 'kysely'
import { prepared } from '#store'
import type { RunRow } from './run-row.ts'

export type NewRun = Omit<RunRow, 'position'>

/** What every run begins with. */
export const fresh = {
  status: 'queued',
  ref_sha: null,
  sha: null,
  started_at: null,
  ended_at: null,
  cancel_asked: 0,
  machine: null,
  steps: '[]',
  error: null,
  restored_sha: null,
  superseded_by: null,
  variables_revision: null,
  rollback_revision: null,
  variable_sets: null,
} as const

/** The newest run of a project. */
export const selectNewest = prepared<{ project: string }, RunRow>((transaction, hole) =>
  transaction
    .selectFrom('run')
    .selectAll()
    .where('project', '=', hole('project'))
    .orderBy('position', 'desc')
    // Written out: with a limit that it does not know when it plans, SQLite takes four times as long.
    .limit(sql.lit(1)),
)

/** Gives its position. There is one writer at a time, so positions follow the order of the commits. */
export const insertRun = prepared<NewRun, Pick<RunRow, 'position'>>((transaction, hole) =>
  transaction
    .insertInto('run')
    .values(({ selectFrom, fn, val, eb }) => ({
      ...fresh,
      position: selectFrom('run').select(eb(fn.coalesce(fn.max('position'), val(0)), '+', 1).as('next')),
      id: hole('id'),
      project: hole('project'),
      repository: hole('repository'),
      kind: hole('kind'),
      ref: hole('ref'),
      discard: hole('discard'),
      changed_since: hole('changed_since'),
      with_secrets: hole('with_secrets'),
      caller: hole('caller'),
      idempotency_key: hole('idempotency_key'),
      request_hash: hole('request_hash'),
      trigger_by: hole('trigger_by'),
      trigger_from: hole('trigger_from'),
      created_at: hole('created_at'),
    }))
    .returning('position'),
)

/** Ends what waits of the kind and project of this run, for this run. */
export const supersede = prepared<RunRow, Pick<RunRow, 'id' | 'changed_since'>>((transaction, hole) =>
  transaction
    .updateTable('run')
    .set({ status: 'superseded', superseded_by: hole('id'), ended_at: hole('created_at') })
    .where('project', '=', hole('project'))
    .where('status', '=', 'queued')
    .where('ended_at', 'is', null)
    .where('kind', '=', hole('kind'))
    .where('position', '<', hole('position'))
    .returning(['id', 'changed_since']),
)
