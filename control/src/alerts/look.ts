/** Looks at the problems that are due: decides whether something is told, and writes down to whom, before anything is sent. */
import type { Severity } from '@quarterdeck/contract'
import type { Transaction } from '#store'
import { type ChannelRow, channelRows, routesOf } from './channel-row.ts'
import type { Labels } from './labels.ts'
import { inhibited, mutedBy } from './muting.ts'
import { columnsOf, openAlerts, type ProblemRow, stateOf, updateProblem } from './problem-row.ts'
import { lookedAt, type Telling } from './problem-state.ts'
import { hears } from './routing.ts'
import type { AlertSettings, Surroundings } from './settings.ts'
import { activeSilences } from './silences.ts'

/** Others write too: none has to wait for long. */
const batch = 100

export interface Looking {
  settings: AlertSettings
  surroundings: Surroundings
  now: Date
}

/** How many were looked at; after as many as one look takes there may be more. */
export async function lookAtDue(transaction: Transaction, looking: Looking): Promise<{ more: boolean }> {
  const now = looking.now.toISOString()
  const due = await transaction
    .selectFrom('problem')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(batch)
    .execute()
  if (due.length === 0) return { more: false }
  const silences = await activeSilences(transaction, now)
  const channels = await channelRows(transaction)
  for (const problem of due) {
    if (problem.state === 'notice') await giveNotice(transaction, problem, channels, looking)
    else await lookAt(transaction, problem, channels, { ...looking, silences })
  }
  return { more: due.length === batch }
}

async function lookAt(
  transaction: Transaction,
  problem: ProblemRow,
  channels: readonly ChannelRow[],
  looking: Looking & { silences: Awaited<ReturnType<typeof activeSilences>> },
): Promise<void> {
  const { settings, now } = looking
  const isOpen = problem.state === 'open'
  const { unacknowledged } = await openAlerts(transaction, problem.id)
  const muted = isOpen ? await mutedBy(transaction, problem, looking) : null
  const before = stateOf(problem)
  const circumstances = { muted: muted !== null, acknowledged: unacknowledged === 0 }
  const { after, tell } = lookedAt(before, circumstances, now.getTime(), settings.timing)
  const isMutedAnew = muted !== problem.muted
  const version = isMutedAnew ? after.version + 1 : after.version
  const told_severity = tell === null ? problem.told_severity : problem.severity
  await updateProblem(transaction, problem.id, { ...columnsOf({ ...after, version }), muted, told_severity })
  if (isMutedAnew) await showCauses(transaction, [muted, problem.muted], now)
  if (tell !== null && tell !== 'resolved') await tellChannels(transaction, problem, tell, channels, looking)
  if (tell === 'resolved') await tellHearers(transaction, problem.id, tell, now)
  else await showHearers(transaction, problem.id, version, now)
}

/** Told once, to whoever it is for. */
async function giveNotice(
  transaction: Transaction,
  problem: ProblemRow,
  channels: readonly ChannelRow[],
  looking: Looking,
): Promise<void> {
  const told_at = looking.now.toISOString()
  await updateProblem(transaction, problem.id, { due_at: null, telling: null, told_at })
  await tellChannels(transaction, problem, 'notice', channels, looking)
}

/** Those whom it is for now, and those who have heard of it before, whatever it was then. */
async function tellChannels(
  transaction: Transaction,
  problem: ProblemRow,
  telling: Telling,
  channels: readonly ChannelRow[],
  { surroundings, now }: Looking,
): Promise<void> {
  const { id: problem_id, service, group_labels, severity } = problem
  const labels = JSON.parse(group_labels) as Labels
  const context = service === null ? undefined : await surroundings.context(transaction, service)
  const group = context?.group ?? labels.group ?? null
  const routed = { severity: severity as Severity, service, group, labels }
  const due_at = now.toISOString()
  for (const channel of channels) {
    if (!hears({ name: channel.name, routes: routesOf(channel) }, routed)) continue
    const row = { message_ids: '[]', shown_version: 0, sent_at: null, problem: null }
    await transaction
      .insertInto('delivery')
      .values({ problem_id, channel_id: channel.id, ...row, telling, due_at })
      .onConflict(conflict => conflict.columns(['problem_id', 'channel_id']).doUpdateSet({ telling, due_at }))
      .execute()
  }
  await tellHearers(transaction, problem_id, telling, now)
}

/** Everybody who has heard of it hears of its end, whatever keeps it quiet. */
async function tellHearers(
  transaction: Transaction,
  problemId: string,
  telling: Telling,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable('delivery')
    .set({ telling, due_at: now.toISOString() })
    .where('problem_id', '=', problemId)
    .execute()
}

/** What their message shows is no longer true; nobody has to be called for it. */
async function showHearers(
  transaction: Transaction,
  problemId: string,
  version: number,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable('delivery')
    .set({ due_at: now.toISOString() })
    .where('problem_id', '=', problemId)
    .where('shown_version', '<', version)
    .where('due_at', 'is', null)
    .execute()
}

/** What is down with it stands in the message of the cause. */
async function showCauses(
  transaction: Transaction,
  muted: readonly (string | null)[],
  now: Date,
): Promise<void> {
  const services = muted.flatMap(reason =>
    reason?.startsWith(inhibited) ? [reason.slice(inhibited.length)] : [],
  )
  if (services.length === 0) return
  await transaction
    .updateTable('problem')
    .set(({ eb }) => ({ version: eb('version', '+', 1), due_at: now.toISOString() }))
    .where('service', 'in', services)
    .where('state', '=', 'open')
    .execute()
}
