/** Events: facts that happened, in one append-only stream. */
import { z } from 'zod'
import { document } from './document.ts'
import { id, time } from './wire.ts'

/** Every kind of fact. `audited` ones are somebody's doing, and are kept in the audit. */
export const eventTypes = {
  'control.started': { audited: true, meaning: 'Control started.' },
  'token.created': { audited: true, meaning: 'A token was made.' },
  'token.revoked': { audited: true, meaning: 'A token was revoked.' },
  'token.rotated': { audited: true, meaning: 'A token got a successor, and ends when the overlap does.' },
  'project.created': { audited: true, meaning: 'A project was added.' },
  'project.changed': { audited: true, meaning: 'Settings of a project were changed.' },
  'project.archived': { audited: true, meaning: 'A project was archived: its units are stopped.' },
  'project.held': { audited: true, meaning: 'Pushes to a project wait from now on.' },
  'project.resumed': { audited: true, meaning: 'Pushes to a project are deployed again.' },
  'project.acted': { audited: true, meaning: 'The units of a project were started, stopped or restarted.' },
  'variables.changed': { audited: true, meaning: 'Variables of a project were set, unset or restored.' },
  'hook.created': {
    audited: true,
    meaning: 'A project got a secret for its forge’s webhook; one before it no longer counts.',
  },
  'hook.removed': { audited: true, meaning: 'A project takes no calls of a forge’s webhook any more.' },
  'statuses.set': { audited: true, meaning: 'The statuses of a project’s commits are written to its forge.' },
  'statuses.removed': {
    audited: true,
    meaning: 'The statuses of a project’s commits are no longer written.',
  },
  'deploy_key.created': {
    audited: true,
    meaning: 'A project got a deploy key; one before it is gone.',
  },
  'deploy_key.removed': { audited: true, meaning: 'The deploy key of a project was removed.' },
  'host_keys.pinned': {
    audited: true,
    meaning: 'The ssh host of a project’s repository is known by these keys from now on.',
  },
  'repository_token.set': { audited: true, meaning: 'A project’s repository is read with this token.' },
  'repository_token.removed': {
    audited: true,
    meaning: 'The token for a project’s repository was removed.',
  },
  'service.added': { audited: true, meaning: 'A service is watched from now on.' },
  'service.changed': { audited: true, meaning: 'How a service is watched was changed.' },
  'service.removed': { audited: true, meaning: 'A service is watched no more.' },
  'incident.opened': { audited: true, meaning: 'An incident, or a draft of one, was opened.' },
  'incident.changed': {
    audited: true,
    meaning: 'An incident was changed, published, told more of or resolved.',
  },
  'incident.removed': { audited: true, meaning: 'An incident was removed.' },
  'incident_template.set': { audited: true, meaning: 'A template of incidents was set.' },
  'incident_template.removed': { audited: true, meaning: 'A template of incidents was removed.' },
  'maintenance.planned': { audited: true, meaning: 'A maintenance was announced.' },
  'maintenance.changed': {
    audited: true,
    meaning: 'A maintenance was changed, told more of or ended early.',
  },
  'maintenance.cancelled': { audited: true, meaning: 'A maintenance was cancelled.' },
  'run.accepted': {
    audited: true,
    meaning: 'A deploy or rollback was accepted; those it supersedes have ended.',
  },
  'run.cancelled': { audited: true, meaning: 'Somebody asked for the end of a run.' },
  'run.started': { audited: false, meaning: 'A run began.' },
  'run.ended': { audited: true, meaning: 'A run came to its end; its status says how.' },
  'status.changed': {
    audited: false,
    meaning:
      'The status of a service changed. Of one that flaps, not every change is told, but always the last.',
  },
  'problem.opened': { audited: false, meaning: 'Alerts fire that belong together; its channels hear of it.' },
  'problem.ended': { audited: false, meaning: 'The last alert of a problem has ended.' },
  'alert.acknowledged': { audited: true, meaning: 'Somebody sees to an alert: it is not repeated.' },
  'alert.ended': { audited: true, meaning: 'Somebody ended an alert whose source was lost.' },
  'silence.created': { audited: true, meaning: 'Alerts that match are not told of until the silence ends.' },
  'silence.ended': { audited: true, meaning: 'A silence was ended before its time.' },
  'channel.created': { audited: true, meaning: 'A channel for messages was added.' },
  'channel.changed': { audited: true, meaning: 'A channel for messages was changed.' },
  'channel.removed': { audited: true, meaning: 'A channel for messages was removed.' },
  'channel.failing': { audited: false, meaning: 'Messages do not reach a channel.' },
  'channel.working': { audited: false, meaning: 'Messages reach a channel again, or it was changed.' },
  'channel.tested': { audited: true, meaning: 'A drill was sent to a channel.' },
  'chat.refused': {
    audited: true,
    meaning: 'Somebody in a chat pressed a button or sent a command who may not. Nothing was done.',
  },
  'heartbeat.set': { audited: true, meaning: 'A heartbeat is expected from now on.' },
  'heartbeat.removed': { audited: true, meaning: 'A heartbeat is no longer expected.' },
  'instance.changed': { audited: false, meaning: 'What is in place on a machine, or how it runs, changed.' },
} as const satisfies Record<string, { audited: boolean; meaning: string }>

export type EventType = keyof typeof eventTypes

export const event = z.object({
  position: z.int().positive().describe('its place in the stream: 1, 2, 3, …'),
  id,
  at: time,
  type: z.string().describe('what happened; more types may be added'),
  subject: z.string().describe('to what: a kind, a slash and its name or id'),
  by: z.string().describe('who did it: a role and a name, or system'),
  from: z.string().nullable().describe('the address it was asked from'),
  request_id: z.string().nullable(),
  data: z.record(z.string(), z.json()),
})
export type Event = z.infer<typeof event>

export const eventDocument = document('event', event, {
  position: 42,
  id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70',
  at: '2026-11-15T09:00:00Z',
  type: 'token.created',
  subject: 'token/019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f71',
  by: 'operator:operator.token',
  from: '203.0.113.9',
  request_id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f72',
  data: { kind: 'operator', label: 'Ana’s laptop' },
})
