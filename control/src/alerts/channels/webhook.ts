/** The generic channel: Alertmanager’s webhook document, version 4, signed. */
import { createHmac } from 'node:crypto'
import type { AlertmanagerWebhook, WebhookSettings } from '@quarterdeck/contract'
import type { Notice, NoticeAlert } from '../notice.ts'
import { type Channel, sent } from './channel.ts'
import { deliver } from './outgoing.ts'

const notYet = '0001-01-01T00:00:00Z'

export function webhook({ url, secret = '' }: WebhookSettings, name: string): Channel {
  const place = new URL(url).host
  return {
    flags: { edits: false, every_change: true },
    place,
    show(_ids, notice, ended) {
      const body = JSON.stringify(webhookDocument(notice, name))
      const at = Math.floor(Date.parse(notice.at) / 1000)
      return deliver(url, place, {
        headers: {
          'content-type': 'application/json',
          'x-quarterdeck-signature': signatureOf(secret, at, body),
          // The same message sent again, because nobody knows whether it arrived, bears the same.
          'idempotency-key': `${notice.problemId}/${notice.version}/${notice.telling ?? 'change'}`,
        },
        body,
        ended,
      })
    },
    reply: async () => sent(),
  }
}

/** HMAC-SHA256 of the time, a dot and the body: an old message cannot be sent again by others as a new one. */
export const signatureOf = (secret: string, at: number, body: string): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`

export function webhookDocument(notice: Notice, receiver: string): AlertmanagerWebhook {
  const { alerts, groupLabels, links, more, state } = notice
  return {
    version: '4',
    groupKey: `{}:{${Object.entries(groupLabels)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join(', ')}}`,
    truncatedAlerts: more,
    status: state === 'resolved' || state === 'notice' ? 'resolved' : 'firing',
    receiver,
    groupLabels: { ...groupLabels },
    commonLabels: common(alerts.map(({ labels }) => labels)),
    commonAnnotations: common(alerts.map(({ annotations }) => annotations)),
    externalURL: new URL(links.panel).origin,
    alerts: alerts.map(webhookAlert),
  }
}

const webhookAlert = (alert: NoticeAlert): AlertmanagerWebhook['alerts'][number] => ({
  status: alert.state === 'resolved' ? 'resolved' : 'firing',
  labels: { ...alert.labels },
  annotations: { ...alert.annotations },
  startsAt: alert.startsAt,
  endsAt: alert.endedAt ?? notYet,
  generatorURL: alert.generatorUrl,
  fingerprint: alert.fingerprint,
})

function common(sets: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = sets
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every(other => other[name] === value)),
  )
}
