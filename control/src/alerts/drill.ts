/** A drill: a message marked [TEST], that fires and is resolved, sent past the outbox so that whoever asks hears how it went. */
import { randomUUIDv7 } from 'node:crypto'
import type { ChannelTest } from '@quarterdeck/contract'
import type { Channel, Outcome } from './channels/channel.ts'
import type { Notice } from './notice.ts'

export async function drill(
  channel: Channel,
  name: string,
  adminUrl: string,
  now: Date,
  ended: AbortSignal,
): Promise<ChannelTest> {
  const firing = drillNotice(name, adminUrl, now.toISOString())
  const first = await channel.show([], firing, ended)
  if (first.what !== 'sent') return { ok: false, problem: problemOf(first) }
  const resolved: Notice = {
    ...firing,
    version: 2,
    state: 'resolved',
    telling: 'resolved',
    endedAt: firing.at,
    alerts: firing.alerts.map(alert => ({ ...alert, state: 'resolved', endedAt: firing.at })),
    open: 0,
  }
  const second = await channel.show(first.ids, resolved, ended)
  if (second.what !== 'sent' || !channel.flags.edits)
    return { ok: second.what === 'sent', problem: problemOf(second) }
  const called = await channel.reply(first.ids, resolved, ended)
  return { ok: called.what === 'sent', problem: problemOf(called) }
}

const problemOf = (outcome: Outcome): string | null => (outcome.what === 'sent' ? null : outcome.problem)

function drillNotice(name: string, adminUrl: string, at: string): Notice {
  const labels = { alertname: 'Drill', channel: name, severity: 'info', drill: 'true' }
  return {
    problemId: randomUUIDv7(),
    version: 1,
    telling: 'opened',
    state: 'firing',
    test: true,
    severity: 'info',
    title: `A drill: messages reach the channel ${name}`,
    reason: null,
    groupKey: 'drill',
    groupLabels: { alertname: 'Drill', channel: name },
    since: at,
    endedAt: null,
    at,
    alerts: [
      {
        id: randomUUIDv7(),
        fingerprint: '0000000000000000',
        state: 'firing',
        severity: 'info',
        labels,
        annotations: { summary: `A drill: messages reach the channel ${name}` },
        startsAt: at,
        endedAt: null,
        generatorUrl: '',
        acknowledgedBy: null,
      },
    ],
    more: 0,
    open: 1,
    acknowledgedBy: null,
    service: null,
    deploy: null,
    alsoDown: [],
    links: { status: null, panel: `${adminUrl}/channels`, runbook: null, source: null },
  }
}
