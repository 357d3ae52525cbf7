/** Slack’s incoming webhook, which Mattermost and Rocket.Chat take too. It only takes messages: each call is a new one. */
import type { SlackSettings } from '@quarterdeck/contract'
import type { Notice } from '../notice.ts'
import { alertLines, facts, headline, inParts } from '../notice-text.ts'
import { type Channel, sent } from './channel.ts'
import { deliver } from './outgoing.ts'

/** Of an attachment: services fold or cut what is longer. What does not fit goes on in the next one. */
const longestText = 3500
const longestLine = 1500
const colours = { critical: '#c62828', warning: '#ef6c00', info: '#1565c0' }

export function slack({ url }: SlackSettings): Channel {
  const place = new URL(url).host
  return {
    flags: { edits: false, every_change: false },
    place,
    show: (_ids, notice, ended) =>
      deliver(url, place, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(slackMessage(notice)),
        ended,
      }),
    reply: async () => sent(),
  }
}

export function slackMessage(notice: Notice): object {
  const { links, severity, state } = notice
  const told = facts(notice).map(([label, value]) => `*${label}*: ${escaped(value)}`)
  const linked = [
    [links.runbook, 'Runbook'],
    [links.status, 'Status'],
    [links.panel, 'Panel'],
  ].flatMap(([link, name]) => (link ? [`<${link.replace(/[<>|]/g, encodeURIComponent)}|${name}>`] : []))
  const listed = alertLines(notice).map(line => `• ${escaped(line.slice(0, longestLine).toWellFormed())}`)
  const head = [...told, linked.join(' · ')].filter(Boolean).join('\n')
  return {
    text: `*${escaped(headline(notice))}*`,
    attachments: inParts(head, listed, longestText).map(text => ({
      color: state === 'resolved' ? '#2e7d32' : colours[severity],
      fallback: escaped(headline(notice)),
      text,
      mrkdwn_in: ['text'],
    })),
  }
}

/**
 * https://docs.slack.dev/messaging/formatting-message-text: three characters, and what would be read as markup. A name
 * that would call everybody is broken up: Mattermost reads it even so.
 */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, '\u2060$&')
    .replace(/@(?=\w)/g, '@\u2060')
