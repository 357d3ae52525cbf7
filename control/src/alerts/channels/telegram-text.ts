/** A notice as Telegram shows it: HTML, in parts that each fit a message, cut between alerts and never inside of one. */
import type { TelegramSettings } from '@quarterdeck/contract'
import type { Notice } from '../notice.ts'
import { alertLines, facts, headline, inParts } from '../notice-text.ts'

/** Telegram counts what is left when markup is taken away; who stays below with it is safe. */
const longestPart = 4000
const longestLine = 900

/** https://core.telegram.org/bots/api#html-style */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function partsOf(notice: Notice): string[] {
  const { links } = notice
  const linked = [
    [links.runbook, 'Runbook'],
    [links.status, 'Status'],
    [links.panel, 'Panel'],
  ].flatMap(([link, name]) => (link ? [`<a href="${escapeHtml(link)}">${name}</a>`] : []))
  const head = [
    `<b>${line(headline(notice))}</b>`,
    ...facts(notice).map(([label, value]) => `${label}: ${line(value)}`),
    linked.join(' · '),
  ]
  const alerts = alertLines(notice).map(text => `• ${line(text)}`)
  return inParts(head.join('\n'), alerts, longestPart)
}

/** Cut before it is escaped, so that no entity is. */
function line(text: string): string {
  for (let length = longestLine; ; length = Math.floor(length / 2)) {
    const short = text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text
    const escaped = escapeHtml(short)
    if (escaped.length <= longestLine * 2) return escaped
  }
}

/** Without any markup, for when the service cannot read what we wrote. */
export const plainOf = (html: string): string =>
  html
    .replace(/<a href="([^"]*)">([^<]*)<\/a>/g, '$2: $1')
    .replace(/<\/?b>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

export interface Button {
  readonly text: string
  readonly callback_data?: string
  readonly url?: string
}

/** A link must be one that Telegram takes: it knows nothing of names without a dot. */
const canBeButton = (link: string): boolean => /^https?:\/\/(?!localhost|[^/]*\.localhost)[^/]*\./.test(link)

export function buttonsOf(notice: Notice, { actions, users, updates }: TelegramSettings): Button[][] {
  const { problemId, state, links, deploy, groupLabels } = notice
  const isOpen = state !== 'resolved' && state !== 'notice'
  const mayPress = isOpen && !notice.test && users.length > 0 && updates !== 'none'
  const rows: Button[][] = []
  if (mayPress) {
    rows.push([
      ...(state === 'acknowledged' ? [] : [{ text: '👀 Acknowledge', callback_data: `ack:${problemId}` }]),
      ...(state === 'silenced' ? [] : [{ text: '🔇 Silence 1 h', callback_data: `silence:${problemId}` }]),
    ])
  }
  if (links.runbook && canBeButton(links.runbook)) rows.push([{ text: '📖 Runbook', url: links.runbook }])
  if (mayPress && actions && deploy) {
    rows.push([
      { text: '⏪ Roll back', callback_data: `rollback:${problemId}` },
      ...(groupLabels.alertname === 'DeployFailed'
        ? [{ text: '🔁 Run again', callback_data: `rerun:${problemId}` }]
        : []),
    ])
  }
  return rows.filter(row => row.length > 0)
}
