/** A notice in words: the lines that every channel for people shows, each in its own dress. */
import type { Notice, NoticeAlert, NoticeState } from './notice.ts'

const signs: Record<NoticeState, string> = {
  firing: '🔴',
  acknowledged: '👀',
  silenced: '🔇',
  maintenance: '🛠',
  source_lost: '❔',
  resolved: '✅',
  notice: 'ℹ️',
}

/** Beside the sign, for whoever does not see it. */
export function stateWord({ state, severity }: Notice): string {
  if (state === 'firing') return severity.toUpperCase()
  if (state === 'notice') return 'NOTICE'
  return state === 'source_lost' ? 'SOURCE LOST' : state.toUpperCase()
}

export function headline(notice: Notice): string {
  const sign =
    notice.state !== 'firing' || notice.severity === 'critical'
      ? signs[notice.state]
      : notice.severity === 'warning'
        ? '🟠'
        : '🔵'
  return `${notice.test ? '[TEST] ' : ''}${sign} ${stateWord(notice)} · ${notice.title}`
}

/** What a reader wants to know, as pairs of a label and what it says. */
export function facts(notice: Notice): [string, string][] {
  const { state, since, endedAt, at, reason, severity, deploy, alsoDown, acknowledgedBy, groupLabels } =
    notice
  const list: [string, string | null][] = [
    ['When', state === 'notice' ? moment(at) : lasting(since, endedAt, at)],
    ['Severity', state === 'notice' ? null : severity],
    ['Reason', reason],
    ['Source', state === 'source_lost' ? 'has fallen silent: nobody knows whether it is over' : null],
    ['Acknowledged', acknowledgedBy && state !== 'resolved' ? `by ${acknowledgedBy}` : null],
    ['Deployed', deploy ? `${deploy.sha.slice(0, 12)} by ${deploy.by}, ${ago(deploy.at, at)}` : null],
    ['Also down', alsoDown.length > 0 ? alsoDown.join(', ') : null],
    ['Group', groupLabels.group ?? null],
  ]
  return list.flatMap(([label, value]) => (value === null ? [] : [[label, value] as [string, string]]))
}

/** One line for each alert; none where the headline says it all. */
export function alertLines({ alerts, more, title, state }: Notice): string[] {
  const lines = alerts.map(alert => alertLine(alert, alerts.length === 1 ? title : ''))
  const isSaid = lines.length === 1 && lines[0] === ''
  return [...(isSaid && state !== 'notice' ? [] : lines), ...(more > 0 ? [`… and ${more} more`] : [])]
}

const saidElsewhere = new Set(['alertname', 'job', 'severity', 'reason', 'drill'])

function alertLine({ labels, annotations, state }: NoticeAlert, said: string): string {
  const which = Object.entries(labels)
    .filter(([name]) => !saidElsewhere.has(name))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
    .slice(0, 300)
  const what = [annotations.summary ?? labels.alertname ?? '', annotations.description]
    .filter(text => text && text !== said)
    .join(' – ')
  const lost = state === 'source_lost' ? ' (source lost)' : ''
  return `${what}${which ? ` [${which}]` : ''}${lost}`.trim()
}

/** Cut between lines and never inside of one: the head, and what follows it, in parts that are no longer than that. */
export function inParts(head: string, lines: readonly string[], longest: number): string[] {
  const parts: string[] = []
  let part = head
  for (const line of lines) {
    if (part.length + line.length + 1 > longest) {
      parts.push(part)
      part = line
    } else part += `\n${line}`
  }
  return [...parts, part]
}

/** What a reply says: why it calls. */
export function callText(notice: Notice): string {
  const { title, telling, since, endedAt, at } = notice
  const test = notice.test ? '[TEST] ' : ''
  if (telling === 'resolved') return `${test}✅ Resolved after ${duration(since, endedAt ?? at)}: ${title}`
  if (telling === 'repeat') return `${test}🔁 Still ${stateWord(notice)} for ${duration(since, at)}: ${title}`
  if (telling === 'source_lost') return `${test}❔ Its source has fallen silent: ${title}`
  if (telling === 'again') return `${test}🔴 It is back: ${title}`
  return `${test}➕ More alerts: ${title}`
}

const lasting = (since: string, endedAt: string | null, at: string) =>
  endedAt === null
    ? `since ${moment(since)}, for ${duration(since, at)}`
    : `${moment(since)} to ${moment(endedAt)}, ${duration(since, endedAt)}`

export const moment = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`

const ago = (time: string, at: string) => `${duration(time, at)} ago`

export function duration(from: string, to: string): string {
  const seconds = Math.max(Math.round((Date.parse(to) - Date.parse(from)) / 1000), 0)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}
