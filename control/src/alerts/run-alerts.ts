/**
 * How runs end, told to the channels of their project: each failure is an alert, which the next success ends, or the end of
 * the project, after which there is none; every rollback is a notice. A failure that left the service down is critical.
 */
import type { EventType, Step } from '@quarterdeck/contract'
import type { RunRow } from '#deploy'
import { type EventReader, latestPosition } from '#events'
import type { Store, Transaction } from '#store'
import type { Reported, Source } from './take.ts'

const readerName = 'alerts'

/** The next success ends what a failure began. */
export const runSource: Source = { name: 'deploys', leaseMs: null }

export interface RunAlerts {
  take(transaction: Transaction, source: Source, alerts: readonly Reported[]): Promise<unknown>
  notice(transaction: Transaction, source: Source, alert: Reported): Promise<void>
  pageUrl(runId: string): string
}

export const runAlertReader = ({ take, notice, pageUrl }: RunAlerts): EventReader => ({
  name: readerName,
  types: ['run.ended', 'project.archived'],
  async handle(transaction, after, upTo) {
    const end = async (project: string, endsAt: string) => {
      const open = await openFailures(transaction, project)
      const ended = open.map(({ labels, annotations }) => ({
        labels: JSON.parse(labels) as Reported['labels'],
        annotations: JSON.parse(annotations) as Record<string, string>,
        endsAt,
      }))
      await take(transaction, runSource, ended)
    }
    for (const run of await endedRuns(transaction, after, upTo)) {
      if (run.status === 'failed') await take(transaction, runSource, [failureOf(run, pageUrl)])
      if (run.status !== 'succeeded') continue
      await end(run.project, run.ended_at ?? run.created_at)
      if (run.kind === 'rollback') await notice(transaction, runSource, rollbackOf(run, pageUrl))
    }
    for (const { subject, at } of await told(transaction, 'project.archived', after, upTo))
      await end(nameIn(subject), at)
  },
})

/** What happened before there were alerts is history. */
export async function beginNow(store: Store): Promise<void> {
  await store.write(async transaction => {
    await transaction
      .insertInto('event_reader')
      .values({ name: readerName, position: await latestPosition(transaction) })
      .onConflict(conflict => conflict.column('name').doNothing())
      .execute()
  })
}

async function endedRuns(transaction: Transaction, after: number, upTo: number): Promise<RunRow[]> {
  const ended = await told(transaction, 'run.ended', after, upTo)
  const ids = [...new Set(ended.map(({ subject }) => nameIn(subject)))]
  if (ids.length === 0) return []
  return transaction.selectFrom('run').selectAll().where('id', 'in', ids).orderBy('position').execute()
}

const told = (transaction: Transaction, type: EventType, after: number, upTo: number) =>
  transaction
    .selectFrom('event')
    .select(['subject', 'at'])
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .where('type', '=', type)
    .execute()

const nameIn = (subject: string) => subject.slice(subject.indexOf('/') + 1)

const openFailures = (transaction: Transaction, project: string) =>
  transaction
    .selectFrom('alert')
    .select(['labels', 'annotations'])
    .where('open_key', 'is not', null)
    .where('source', '=', runSource.name)
    .where('service', '=', project)
    .execute()

function failureOf(run: RunRow, pageUrl: RunAlerts['pageUrl']): Reported {
  const { id, project, kind, sha, trigger_by, restored_sha } = run
  const error = run.error === null ? undefined : (JSON.parse(run.error) as { code: string; message: string })
  const isDown = restored_sha === null && wasTouched(run)
  const after = isDown
    ? 'The service was not put back: it is down.'
    : restored_sha
      ? `${restored_sha.slice(0, 12)} runs again.`
      : 'The service was not touched.'
  return {
    labels: { alertname: 'DeployFailed', job: project, severity: isDown ? 'critical' : 'warning', run: id },
    annotations: {
      summary: `${kind === 'rollback' ? 'The rollback' : 'The deploy'} of ${project}${at(sha)} by ${trigger_by} failed`,
      description: `${error?.message ?? 'It gave no reason.'} ${after}`,
      ...(error && { reason: error.code }),
    },
    generatorURL: pageUrl(id),
    ...(run.ended_at !== null && { startsAt: run.ended_at }),
  }
}

/** Whether it came so far that what ran before was stopped. */
const wasTouched = ({ steps }: RunRow) =>
  (JSON.parse(steps) as Step[]).some(
    ({ name, status }) => (name === 'restart' || name === 'verify') && status === 'failed',
  )

const rollbackOf = ({ id, project, sha, trigger_by }: RunRow, pageUrl: RunAlerts['pageUrl']): Reported => ({
  labels: { alertname: 'RolledBack', job: project, severity: 'info', run: id },
  annotations: {
    summary: `${project} was rolled back${sha ? ` to ${sha.slice(0, 12)}` : ''} by ${trigger_by}`,
  },
  generatorURL: pageUrl(id),
})

const at = (sha: string | null) => (sha ? ` at ${sha.slice(0, 12)}` : '')
