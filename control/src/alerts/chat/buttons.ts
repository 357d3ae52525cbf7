/** Buttons below a message: acknowledge, silence for an hour; rollback and re-run where that is switched on, asked twice. */
import { Fault, type Matcher, matcherText, type TelegramSettings } from '@quarterdeck/contract'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Alerts } from '../alerts.ts'
import { escapeHtml } from '../channels/telegram-text.ts'
import { clean } from '../clean.ts'
import type { Labels } from '../labels.ts'
import { findProblem, type ProblemRow, timeOf } from '../problem-row.ts'
import type { ChatAnswer } from './answer.ts'
import type { ChatDeploys } from './deploys.ts'

const silenceMs = 3_600_000
/** A second confirmation is one that comes soon. */
const confirmMs = 120_000

export interface Pressing {
  alerts: Alerts
  deploys: ChatDeploys
  settings: TelegramSettings
  /** Where it was pressed. */
  channelId: string
  now: Date
}

/** `data` is what the button bears: a verb, the problem, and for a confirmation the time of the first press. */
export async function pressed(
  transaction: Transaction,
  origin: Origin,
  data: string,
  pressing: Pressing,
): Promise<ChatAnswer> {
  const [verb = '', problemId = '', asked = ''] = data.split(':')
  const problem = await toldProblem(transaction, problemId, pressing.channelId)
  if (!problem) return { toast: 'This problem is not known here, or no longer.' }
  switch (verb) {
    case 'ack': {
      const count = await pressing.alerts.acknowledgeProblem(transaction, origin, problemId)
      return {
        toast:
          count > 0
            ? 'Acknowledged: it is not repeated until it ends.'
            : 'There is nothing left to acknowledge.',
      }
    }
    case 'silence':
      return silence(transaction, origin, problem, pressing)
    case 'rollback':
    case 'rerun':
      return askAgain(verb, problem, pressing)
    case 'rollback!':
    case 'rerun!':
      return act(transaction, origin, verb, problem, Number.parseInt(asked, 36), pressing)
    default:
      return { toast: 'Nothing was done.' }
  }
}

/** What a button bears is sent by somebody's program, which may send anything: it is for what was told in this chat. */
async function toldProblem(
  transaction: Transaction,
  problemId: string,
  channelId: string,
): Promise<ProblemRow | undefined> {
  const told = await transaction
    .selectFrom('delivery')
    .select('problem_id')
    .where('problem_id', '=', problemId)
    .where('channel_id', '=', channelId)
    .executeTakeFirst()
  return told && findProblem(transaction, problemId)
}

async function silence(
  transaction: Transaction,
  origin: Origin,
  problem: ProblemRow,
  { alerts, now }: Pressing,
): Promise<ChatAnswer> {
  if (problem.state !== 'open') return { toast: 'It is over: there is nothing to silence.' }
  const labels = JSON.parse(problem.group_labels) as Labels
  const matchers = Object.entries(labels).map(([name, value]): Matcher => ({ name, operator: '=', value }))
  if (matchers.length === 0)
    return { toast: 'These alerts have nothing in common: silence them with /silence.' }
  await alerts.silences.create(transaction, origin, {
    matchers: matchers.map(matcherText),
    ends_at: timeOf(now.getTime() + silenceMs),
    comment: 'by a button in the chat',
  })
  await alerts.lookAgain(transaction)
  return { toast: 'Silenced for one hour.' }
}

function askAgain(
  verb: 'rollback' | 'rerun',
  { id, service }: ProblemRow,
  { settings, now }: Pressing,
): ChatAnswer {
  if (!settings.actions || service === null) return { toast: 'That is switched off for this channel.' }
  const what = verb === 'rollback' ? 'Roll back' : 'Run the last deploy of'
  const yes = {
    text: `Yes, ${verb === 'rollback' ? 'roll back' : 'run again'}`,
    callback_data: `${verb}!:${id}:${now.getTime().toString(36)}`,
  }
  return {
    toast: 'Please confirm.',
    html: `${what} <b>${escapeHtml(service)}</b>? Confirm within two minutes, or leave it.`,
    buttons: [[yes]],
  }
}

async function act(
  transaction: Transaction,
  origin: Origin,
  verb: 'rollback!' | 'rerun!',
  { service }: ProblemRow,
  askedMs: number,
  { settings, deploys, now }: Pressing,
): Promise<ChatAnswer> {
  if (!settings.actions || service === null) return { toast: 'That is switched off for this channel.' }
  if (!(Math.abs(now.getTime() - askedMs) <= confirmMs))
    return { toast: 'Too late: press the first button again.' }
  if (await isRunSince(transaction, service, timeOf(askedMs)))
    return { toast: 'There was a run since you were asked: press the first button again.' }
  try {
    const begun = await (verb === 'rollback!' ? deploys.rollback : deploys.rerun)(
      transaction,
      origin,
      service,
    )
    return {
      toast: 'Begun.',
      html: `<a href="${escapeHtml(begun.url)}">The run</a> was accepted, asked for by ${escapeHtml(origin.by)}.`,
      afterwards: begun.afterwards,
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { toast: clean(error.message, 190) }
  }
}

/** Whoever presses twice means it once. */
const isRunSince = async (transaction: Transaction, project: string, since: string): Promise<boolean> => {
  const run = transaction.selectFrom('run').select('id').where('project', '=', project)
  return (await run.where('created_at', '>', since).limit(1).executeTakeFirst()) !== undefined
}
