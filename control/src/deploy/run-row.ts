/** A run as it is stored and as it is shown. */
import type { Run, RunStatus, Step } from '@quarterdeck/contract'
import type { Tables, Transaction } from '#store'

export type RunRow = Tables['run']

export const isOver = ({ status }: { status: string }): boolean => status !== 'queued' && status !== 'running'

export function runOf(row: RunRow, adminUrl: string): Run {
  const { id, project, repository, ref, sha, created_at, started_at, ended_at } = row
  return {
    id,
    project,
    repository,
    ref,
    sha,
    status: row.status as RunStatus,
    kind: row.kind as Run['kind'],
    trigger: { by: row.trigger_by, from: row.trigger_from },
    created_at,
    started_at,
    ended_at,
    steps: JSON.parse(row.steps) as Step[],
    error: row.error === null ? null : (JSON.parse(row.error) as Run['error']),
    restored_sha: row.restored_sha,
    superseded_by: row.superseded_by,
    url: pageUrl(id, adminUrl),
    log_url: `${adminUrl}/api/runs/${id}/log`,
  }
}

export const pageUrl = (id: string, adminUrl: string): string => `${adminUrl}/runs/${id}`

export const findRun = (transaction: Transaction, id: string): Promise<RunRow | undefined> =>
  transaction.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst()
