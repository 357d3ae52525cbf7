/** Somebody sees to it: what is acknowledged is not repeated until it ends. From chat, API and command line alike. */
import { Fault } from '@quarterdeck/contract'
import type { Events } from '#events'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import { type AlertRow, endAlerts, findAlert } from './alert-row.ts'
import type { Problems } from './problems.ts'

export interface Acknowledging {
  events: Events
  problems: Problems
  now: Date
}

export async function acknowledgeAlert(
  transaction: Transaction,
  origin: Origin,
  id: string,
  comment: string | undefined,
  acknowledging: Acknowledging,
): Promise<AlertRow> {
  const alert = await openAlert(transaction, id)
  // A second one changes nothing: the first is who sees to it.
  if (alert.acknowledged_at !== null) return alert
  await acknowledge(transaction, origin, [alert], comment, acknowledging)
  return (await findAlert(transaction, id))!
}

/** Every alert of it that is open; how many that were. */
export async function acknowledgeProblem(
  transaction: Transaction,
  origin: Origin,
  problemId: string,
  acknowledging: Acknowledging,
): Promise<number> {
  const alerts = await transaction
    .selectFrom('alert')
    .selectAll()
    .where('problem_id', '=', problemId)
    .where('open_key', 'is not', null)
    .where('acknowledged_at', 'is', null)
    .execute()
  if (alerts.length > 0) await acknowledge(transaction, origin, alerts, undefined, acknowledging)
  return alerts.length
}

async function acknowledge(
  transaction: Transaction,
  origin: Origin,
  alerts: readonly AlertRow[],
  comment: string | undefined,
  { events, problems, now }: Acknowledging,
): Promise<void> {
  const { problem_id } = alerts[0]!
  const only = alerts.length === 1 ? alerts[0]!.id : undefined
  let update = transaction
    .updateTable('alert')
    .set({ acknowledged_at: now.toISOString(), acknowledged_by: origin.by })
    .where('problem_id', '=', problem_id)
    .where('open_key', 'is not', null)
    .where('acknowledged_at', 'is', null)
  if (only !== undefined) update = update.where('id', '=', only)
  await update.execute()
  await events.append(transaction, origin, {
    type: 'alert.acknowledged',
    subject: only === undefined ? `problem/${problem_id}` : `alert/${only}`,
    data: { alerts: alerts.length, ...(comment && { comment }) },
  })
  const touched = problems.touching(transaction, now)
  touched.changed(problem_id)
  await touched.settle()
}

/** By hand: only one that nobody reports any more. */
export async function endAlert(
  transaction: Transaction,
  origin: Origin,
  id: string,
  { events, problems, now }: Acknowledging,
): Promise<AlertRow> {
  const alert = await openAlert(transaction, id)
  if (alert.state !== 'source_lost')
    throw new Fault('alert_reported', `${alert.source} reports the alert: it is firing.`)
  await endAlerts(transaction, [{ id, endedAt: now.toISOString() }])
  await events.append(transaction, origin, { type: 'alert.ended', subject: `alert/${id}` })
  const touched = problems.touching(transaction, now)
  touched.changed(alert.problem_id)
  await touched.settle()
  return (await findAlert(transaction, id))!
}

async function openAlert(transaction: Transaction, id: string): Promise<AlertRow> {
  const alert = await findAlert(transaction, id)
  if (!alert) throw new Fault('not_found', `There is no alert ${id}.`)
  if (alert.open_key === null) throw new Fault('alert_over', `The alert ended at ${alert.ended_at}.`)
  return alert
}
