/** What every channel does, whatever service is behind it. Each kind runs it against the real thing, or a stand-in that speaks its protocol. */
import { expect, test } from 'vitest'
import type { Notice } from '../notice.ts'
import type { Channel } from './channel.ts'

export interface OpenedChannel {
  channel: Channel
  /** What arrived, as people or programs read it, oldest first, when there are so many. */
  arrived(count: number): Promise<readonly string[]>
  /** From now on the service answers as one that cannot take it now. */
  fail(): void
}

const sha = '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394'

export const noticeOf = (change: Partial<Notice> = {}): Notice => ({
  problemId: '019cadd4-11c0-7b10-9a44-7d1e3f5a2c69',
  version: 1,
  telling: 'opened',
  state: 'firing',
  test: false,
  severity: 'critical',
  title: 'hello is down',
  reason: 'connect',
  groupKey: 'job,alertname/1',
  groupLabels: { alertname: 'ServiceDown', job: 'hello' },
  since: '2026-03-02T09:15:00.000Z',
  endedAt: null,
  at: '2026-03-02T09:17:00.000Z',
  alerts: [
    {
      id: '019cadd4-11c0-7a52-8f31-0c9d2e4b6a78',
      fingerprint: '5ac81b6e0f92d374',
      state: 'firing',
      severity: 'critical',
      labels: { alertname: 'ServiceDown', job: 'hello', instance: 'web-1', severity: 'critical' },
      annotations: { summary: 'hello is down', description: '<b>&"\'*_`[x](y) שלום @channel' },
      startsAt: '2026-03-02T09:15:00.000Z',
      endedAt: null,
      generatorUrl: '',
      acknowledgedBy: null,
    },
  ],
  more: 0,
  open: 1,
  acknowledgedBy: null,
  service: 'hello',
  deploy: { sha, by: 'token:ci', at: '2026-03-02T09:05:00.000Z' },
  alsoDown: ['shop'],
  links: {
    status: 'https://status.example.com/services/hello',
    panel: 'https://admin.example.com/alerts/1',
    runbook: 'https://docs.example.com/hello',
    source: null,
  },
  ...change,
})

const live = new AbortController().signal

export function channelSuite(
  name: string,
  open: () => Promise<OpenedChannel>,
  words: readonly string[],
): void {
  test(`${name}: a message says what, how bad, since when, why, what was deployed and what else is down`, async () => {
    const { channel, arrived } = await open()
    expect(await channel.show([], noticeOf(), live)).toMatchObject({ what: 'sent' })
    const [message = ''] = await arrived(1)
    for (const word of words) expect(message).toContain(word)
  })

  test(`${name}: the end is told in the same conversation`, async () => {
    const { channel, arrived } = await open()
    const first = await channel.show([], noticeOf(), live)
    const ids = first.what === 'sent' ? first.ids : []
    const over = noticeOf({
      state: 'resolved',
      telling: 'resolved',
      endedAt: '2026-03-02T09:20:00.000Z',
      version: 2,
      open: 0,
    })
    expect(await channel.show(ids, over, live)).toMatchObject({ what: 'sent' })
    if (channel.flags.edits) expect(await channel.reply(ids, over, live)).toMatchObject({ what: 'sent' })
    expect((await arrived(2)).at(-1)?.toLowerCase()).toContain('resolved')
  })

  test(`${name}: a drill is marked`, async () => {
    const { channel, arrived } = await open()
    await channel.show([], noticeOf({ test: true, title: 'a drill' }), live)
    const [message = ''] = await arrived(1)
    if (!channel.flags.every_change || channel.flags.edits) expect(message).toContain('[TEST]')
  })

  test(`${name}: of a long message no alert is lost or cut in two`, async () => {
    const { channel, arrived } = await open()
    const [alert] = noticeOf().alerts
    const alerts = Array.from({ length: 30 }, (_, n) => ({
      ...alert!,
      annotations: { summary: `begins-${n}-${'x'.repeat(200)}`, description: `${'&'.repeat(180)}-ends-${n}` },
    }))
    expect(await channel.show([], noticeOf({ alerts, open: 40, more: 10 }), live)).toMatchObject({
      what: 'sent',
    })
    const lines = (await arrived(1)).join('\n').split('\n')
    for (const n of alerts.keys())
      expect(lines.filter(line => line.includes(`begins-${n}-`) && line.includes(`-ends-${n}`))).not.toEqual(
        [],
      )
    expect(lines.join('\n')).toMatch(/10 more|"truncatedAlerts":10/)
  })

  test(`${name}: a service that cannot take it now is asked again later, and nothing secret is said of it`, async () => {
    const { channel, fail } = await open()
    fail()
    const outcome = await channel.show([], noticeOf(), live)
    expect(outcome).toMatchObject({ what: 'again' })
    expect(JSON.stringify(outcome)).not.toContain('sentinel')
    expect(channel.place).not.toContain('sentinel')
  })
}
