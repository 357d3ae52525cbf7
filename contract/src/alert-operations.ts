/** The operations around alerts: how they come in, and what people do with them. */
import { z } from 'zod'
import { alertAcknowledgeDocument, alertDocument, alertPageDocument } from './alert.ts'
import { alertmanagerAlertsDocument } from './alertmanager-alerts.ts'
import { alertmanagerWebhookDocument } from './alertmanager-webhook.ts'
import {
  channelCreateDocument,
  channelCreatedDocument,
  channelDocument,
  channelPageDocument,
  channelTestDocument,
} from './channel.ts'
import { heartbeatDocument, heartbeatPageDocument, heartbeatSetDocument } from './heartbeat.ts'
import { byId, byName, operation, pageQuery } from './operation.ts'
import { silenceCreateDocument, silenceDocument, silencePageDocument } from './silence.ts'

/** Ten thousand alerts at once still fit. */
const alertsBytes = 16 * 1024 * 1024

/** What machines call is answered on the bare host and on the machine's address too: not every client looks up `*.localhost`. */
export const isMachinePath = (path: string): boolean =>
  /^\/api\/(v2\/alerts|alerts\/alertmanager|heartbeats\/[^/]+)$/.test(path)

export const alertOperations = {
  receiveAlerts: operation({
    method: 'POST',
    path: '/api/v2/alerts',
    summary: 'Take alerts as Alertmanager does, so that a Prometheus can send them here',
    body: alertmanagerAlertsDocument,
    bodyBytes: alertsBytes,
    answer: { status: 200 },
  }),
  receiveAlertmanager: operation({
    method: 'POST',
    path: '/api/alerts/alertmanager',
    summary: 'Take what an Alertmanager sends to a webhook, version 4',
    body: alertmanagerWebhookDocument,
    bodyBytes: alertsBytes,
    answer: { status: 200 },
  }),
  listAlerts: operation({
    method: 'GET',
    path: '/api/alerts',
    summary: 'Alerts, newest first',
    query: pageQuery.extend({
      state: z
        .enum(['open', 'ended', 'all'])
        .default('open')
        .describe('open: firing, or their source is lost'),
    }),
    answer: { status: 200, document: alertPageDocument },
  }),
  readAlert: operation({
    method: 'GET',
    path: '/api/alerts/{id}',
    summary: 'One alert',
    params: byId,
    answer: { status: 200, document: alertDocument },
  }),
  acknowledgeAlert: operation({
    method: 'POST',
    path: '/api/alerts/{id}/acknowledge',
    summary: 'Say that somebody sees to it: it is not repeated, until it ends',
    params: byId,
    body: alertAcknowledgeDocument,
    bodyOptional: true,
    answer: { status: 200, document: alertDocument },
  }),
  endAlert: operation({
    method: 'POST',
    path: '/api/alerts/{id}/end',
    summary: 'End an alert whose source is lost; one that still holds is reported again',
    params: byId,
    answer: { status: 200, document: alertDocument },
  }),
  listSilences: operation({
    method: 'GET',
    path: '/api/silences',
    summary: 'Silences, newest first',
    query: pageQuery.extend({
      state: z.enum(['open', 'all']).default('open').describe('open: active, or to come'),
    }),
    answer: { status: 200, document: silencePageDocument },
  }),
  createSilence: operation({
    method: 'POST',
    path: '/api/silences',
    summary: 'Silence alerts that match, until an end',
    body: silenceCreateDocument,
    answer: { status: 201, document: silenceDocument },
  }),
  endSilence: operation({
    method: 'DELETE',
    path: '/api/silences/{id}',
    summary: 'End a silence at once',
    params: byId,
    answer: { status: 204 },
  }),
  listChannels: operation({
    method: 'GET',
    path: '/api/channels',
    summary: 'Channels, by name; their secrets are not shown',
    query: pageQuery,
    answer: { status: 200, document: channelPageDocument },
  }),
  createChannel: operation({
    method: 'POST',
    path: '/api/channels',
    summary: 'Add a channel that messages go to',
    body: channelCreateDocument,
    answer: { status: 201, document: channelCreatedDocument },
  }),
  readChannel: operation({
    method: 'GET',
    path: '/api/channels/{id}',
    summary: 'One channel',
    params: byId,
    answer: { status: 200, document: channelDocument },
  }),
  replaceChannel: operation({
    method: 'PUT',
    path: '/api/channels/{id}',
    summary: 'Change a channel, such as its token; what waits is sent at once',
    params: byId,
    body: channelCreateDocument,
    answer: { status: 200, document: channelCreatedDocument },
  }),
  removeChannel: operation({
    method: 'DELETE',
    path: '/api/channels/{id}',
    summary: 'Remove a channel, and what waits for it',
    params: byId,
    answer: { status: 204 },
  }),
  testChannel: operation({
    method: 'POST',
    path: '/api/channels/{id}/test',
    summary: 'Send a drill, marked [TEST], and say how that went',
    params: byId,
    answer: { status: 200, document: channelTestDocument },
  }),
  receiveChat: operation({
    method: 'POST',
    path: '/api/channels/{id}/updates',
    summary: 'Take buttons and commands as Telegram sends them to a webhook',
    params: byId,
    signed: true,
    bodyBytes: 1024 * 1024,
    answer: { status: 200 },
  }),
  listHeartbeats: operation({
    method: 'GET',
    path: '/api/heartbeats',
    summary: 'Heartbeats that are expected, by name',
    query: pageQuery,
    answer: { status: 200, document: heartbeatPageDocument },
  }),
  beat: operation({
    method: 'POST',
    path: '/api/heartbeats/{name}',
    summary: 'Say that a job is alive',
    params: byName,
    answer: { status: 204 },
  }),
  setHeartbeat: operation({
    method: 'PUT',
    path: '/api/heartbeats/{name}',
    summary: 'Expect a heartbeat: without it there is an alert',
    params: byName,
    body: heartbeatSetDocument,
    answer: { status: 200, document: heartbeatDocument },
  }),
  removeHeartbeat: operation({
    method: 'DELETE',
    path: '/api/heartbeats/{name}',
    summary: 'Expect it no longer',
    params: byName,
    answer: { status: 204 },
  }),
} as const
