import { Fault, operations, type WebhookAlert } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { cursorOf, type Route, raw, read, respond, write } from '#http'
import type { Store } from '#store'
import type { Alerts } from './alerts.ts'
import { drill } from './drill.ts'
import { refuseOthers, refuseWide } from './own-alerts.ts'
import { proveSecret, type ReceiveOptions, receiveChat } from './receive-chat.ts'
import type { Reported } from './take.ts'

export interface AlertRouteOptions extends ReceiveOptions {
  store: Store
  clock: Clock
  events: Events
  alerts: Alerts
  adminUrl: string
}

const anId = /^[0-9a-f-]{36}$/
const aName = /^[a-z][a-z0-9-]{0,62}$/

export function alertRoutes(options: AlertRouteOptions): Route[] {
  const { alerts } = options
  const { heartbeats } = alerts
  return [
    write(operations.receiveAlerts, async (call, transaction) => {
      await alerts.take(transaction, alerts.source('alertmanager-api'), call.body)
      return {}
    }),
    write(operations.receiveAlertmanager, async (call, transaction) => {
      // It tells the end itself, and what still fires again and again: every four hours, if it was not told otherwise.
      await alerts.take(
        transaction,
        { name: 'alertmanager', leaseMs: alertmanagerLeaseMs },
        call.body.alerts.map(reported),
      )
      return {}
    }),
    read(operations.listAlerts, (call, transaction) =>
      alerts.list(transaction, call.query.state, cursorOf(call.query, anId)),
    ),
    read(operations.readAlert, async (call, transaction) => {
      const found = await alerts.find(transaction, call.params.id)
      if (!found) throw new Fault('not_found', `There is no alert ${call.params.id}.`)
      return found
    }),
    write(operations.acknowledgeAlert, async (call, transaction) => {
      await refuseOthers(alerts, transaction, call.identity, call.params.id)
      return alerts.acknowledge(transaction, call.origin, call.params.id, call.body.comment)
    }),
    write(operations.endAlert, async (call, transaction) => {
      await refuseOthers(alerts, transaction, call.identity, call.params.id)
      return alerts.end(transaction, call.origin, call.params.id)
    }),

    ...silenceRoutes(alerts),
    ...channelRoutes(options),
    raw(operations.receiveChat, call => receiveChat(options, call), {
      before: arriving => proveSecret(options, arriving),
    }),

    read(operations.listHeartbeats, (call, transaction) =>
      heartbeats.list(transaction, cursorOf(call.query, aName)),
    ),
    write(operations.beat, (call, transaction) => heartbeats.beat(transaction, call.params.name) as never),
    write(operations.setHeartbeat, (call, transaction) =>
      heartbeats.set(transaction, call.origin, call.params.name, call.body),
    ),
    write(
      operations.removeHeartbeat,
      (call, transaction) => heartbeats.remove(transaction, call.origin, call.params.name) as never,
    ),
  ]
}

/** Alertmanager repeats itself after `repeat_interval`, four hours by default. */
const alertmanagerLeaseMs = 5 * 3_600_000

/** It says in `status` what the times only suggest. */
const reported = ({
  status,
  labels,
  annotations,
  startsAt,
  endsAt,
  generatorURL,
}: WebhookAlert): Reported => ({
  labels,
  annotations,
  startsAt,
  generatorURL,
  ...(status === 'resolved' && { endsAt }),
})

const silenceRoutes = (alerts: Alerts): Route[] => [
  read(operations.listSilences, (call, transaction) =>
    alerts.silences.list(transaction, call.query.state === 'all', cursorOf(call.query, anId)),
  ),
  write(operations.createSilence, async (call, transaction) => {
    refuseWide(call.identity, call.body.matchers)
    const made = await alerts.silences.create(transaction, call.origin, call.body)
    await alerts.lookAgain(transaction)
    return made
  }),
  write(operations.endSilence, async (call, transaction) => {
    refuseWide(call.identity, await alerts.silences.matchers(transaction, call.params.id))
    await alerts.silences.end(transaction, call.origin, call.params.id)
    await alerts.lookAgain(transaction)
    return undefined
  }),
]

const channelRoutes = ({ alerts, store, clock, events, adminUrl }: AlertRouteOptions): Route[] => [
  read(operations.listChannels, (call, transaction) =>
    alerts.channels.list(transaction, cursorOf(call.query, aName)),
  ),
  read(operations.readChannel, (call, transaction) => alerts.channels.read(transaction, call.params.id)),
  write(operations.createChannel, (call, transaction) =>
    alerts.channels.create(transaction, call.origin, call.body),
  ),
  write(operations.replaceChannel, async (call, transaction) => {
    const before = await alerts.channels.named(transaction, call.params.id)
    await alerts.channelChanged(transaction, before)
    return alerts.channels.replace(transaction, call.origin, before.id, call.body)
  }),
  write(operations.removeChannel, async (call, transaction) => {
    const removed = await alerts.channels.remove(transaction, call.origin, call.params.id)
    await alerts.channelChanged(transaction, removed)
    return undefined
  }),
  respond(operations.testChannel, async (call, end) => {
    const row = await store.read(transaction => alerts.channels.named(transaction, call.params.id))
    const value = await drill(alerts.open(row), row.name, adminUrl, clock.now(), end())
    const fact = { type: 'channel.tested', subject: `channel/${row.id}`, data: { ok: value.ok } } as const
    await store.write(async transaction => {
      await events.append(transaction, call.origin, fact)
      if (value.ok) await alerts.channelWorks(transaction, row)
    })
    return { status: 200, value }
  }),
]
