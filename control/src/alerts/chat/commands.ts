/** Commands in a chat: /status, /alerts, /deploys, /silence. */
import { Fault, parseMatcher } from '@quarterdeck/contract'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { Alerts } from '../alerts.ts'
import { escapeHtml } from '../channels/telegram-text.ts'
import { clean } from '../clean.ts'
import { duration } from '../notice-text.ts'
import { refuseWide } from '../own-alerts.ts'
import { timeOf } from '../problem-row.ts'
import type { ChatAnswer } from './answer.ts'
import type { ChatDeploys } from './deploys.ts'

const mostListed = 20

export interface Commanding {
  alerts: Alerts
  deploys: ChatDeploys
  services(): readonly string[]
  /** That the channel is for; none: for all. */
  projects: readonly string[]
  now: Date
}

type Command = (
  transaction: Transaction,
  origin: Origin,
  words: readonly string[],
  commanding: Commanding,
) => Promise<string>

const commands: Record<string, Command> = {
  status,
  alerts,
  deploys,
  silence,
  help: async () => usage,
  start: async () => usage,
}

const usage =
  '/status – how things are\n/alerts – what is open\n/deploys – the last runs\n' +
  '/silence job=hello 1h reason – keep quiet about what matches'

/** Undefined: it is none of ours. */
export async function commanded(
  transaction: Transaction,
  origin: Origin,
  text: string,
  commanding: Commanding,
): Promise<ChatAnswer | undefined> {
  const [first = '', ...words] = text.trim().split(/\s+/)
  const name = first.match(/^\/([a-z]+)(@\w+)?$/i)?.[1]?.toLowerCase() ?? ''
  if (!Object.hasOwn(commands, name)) return undefined
  try {
    return { html: await commands[name]!(transaction, origin, words, commanding) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const fields = error.fields.map(({ field, message }) => `${field} ${message}`).join('; ')
    return { html: said(fields || error.message, 500) }
  }
}

async function status(
  transaction: Transaction,
  _origin: Origin,
  _words: readonly string[],
  { services }: Commanding,
): Promise<string> {
  const open = await transaction
    .selectFrom('problem')
    .select(({ fn }) => ['severity', fn.countAll().as('count')])
    .where('state', '=', 'open')
    .groupBy('severity')
    .execute()
  const failing = await transaction
    .selectFrom('channel')
    .select('name')
    .where('problem', 'is not', null)
    .execute()
  const counts = open.map(({ severity, count }) => `${count} ${severity}`).join(', ')
  const channels = failing.map(({ name }) => `\nThe channel ${said(name, 63)} fails.`).join('')
  const [all = '', ...others] = services()
  const rest = others.length > mostListed ? [`… and ${others.length - mostListed} more`] : []
  const listed = [...others.slice(0, mostListed), ...rest].map(line => `\n• ${said(line, 300)}`).join('')
  return `${said(all, 300)}${listed}\n${counts ? `🔴 Open problems: ${counts}. /alerts lists them.` : '✅ There are no open problems.'}${channels}`
}

async function alerts(
  transaction: Transaction,
  _origin: Origin,
  _words: readonly string[],
  { projects, now }: Commanding,
) {
  let open = transaction.selectFrom('alert').selectAll().where('open_key', 'is not', null)
  if (projects.length > 0) open = open.where('service', 'in', projects)
  const rows = await open
    .orderBy('severity_rank')
    .orderBy('starts_at')
    .limit(mostListed + 1)
    .execute()
  if (rows.length === 0) return '✅ There are no open alerts.'
  const lines = rows.slice(0, mostListed).map(row => {
    const { summary } = JSON.parse(row.annotations) as { summary?: string }
    const { alertname = '', job = '' } = JSON.parse(row.labels) as Record<string, string>
    const seen = row.acknowledged_at === null ? '' : ' 👀'
    const what = said(summary ?? `${alertname} ${job}`, 150)
    return `• ${row.severity}${seen} ${what}, for ${duration(row.starts_at, now.toISOString())}`
  })
  return [...lines, ...(rows.length > mostListed ? ['… and more'] : [])].join('\n')
}

async function deploys(
  transaction: Transaction,
  _origin: Origin,
  _words: readonly string[],
  { deploys, projects, now }: Commanding,
) {
  const runs = await deploys.last(transaction, projects, 10)
  if (runs.length === 0) return 'Nothing was deployed yet.'
  return runs
    .map(({ project, status, kind, sha, trigger_by, created_at }) => {
      const ago = duration(created_at, now.toISOString())
      return `• ${said(project, 63)} ${kind} ${sha?.slice(0, 12) ?? ''} ${status}, by ${said(trigger_by, 60)}, ${ago} ago`
    })
    .join('\n')
}

/** `/silence job=hello severity!=critical 1h the disk is being replaced` */
async function silence(
  transaction: Transaction,
  origin: Origin,
  words: readonly string[],
  { alerts, projects, now }: Commanding,
): Promise<string> {
  const end = words.findIndex(word => durationMs(word) !== undefined)
  const matchers = words.slice(0, end)
  if (end < 1 || matchers.some(word => parseMatcher(word) === undefined))
    return 'Use it like this: /silence job=hello 1h reason'
  refuseWide({ projects: projects.length > 0 ? projects : null }, matchers)
  const comment = words.slice(end + 1).join(' ') || 'by a command in the chat'
  const made = await alerts.silences.create(transaction, origin, {
    matchers,
    ends_at: timeOf(now.getTime() + durationMs(words[end]!)!),
    comment: clean(comment, 500),
  })
  await alerts.lookAgain(transaction)
  return `🔇 Silenced until ${made.ends_at.slice(0, 16).replace('T', ' ')} UTC: ${said(made.matchers.join(', '), 500)}`
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function durationMs(word: string): number | undefined {
  const [, count, unit] = word.match(/^(\d{1,4})([mhd])$/) ?? []
  return count === undefined ? undefined : Number(count) * units[unit!]!
}

const said = (text: string, longest: number) => escapeHtml(clean(text, longest))
