import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { byAna, down, leased, watched } from './under-test.ts'

const engine = () => sqliteEngine(join(temporaryDirectory(), 'database.sqlite'))

test('the first critical alert is told at once, and the same message is resolved, with a reply', async () => {
  const { report, over, settled, telegram, advance, world } = await watched(engine())
  world.contexts.hello = {
    group: 'production',
    runbook: 'https://docs.example.com/runbooks/hello',
    page: 'https://status.example.com/services/hello',
    deploy: {
      sha: '4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394',
      by: 'token:ci',
      at: '2026-03-02T08:48:00Z',
      runId: 'r',
    },
  }
  await report(down('hello', { annotations: { reason: 'connect' } }))
  await settled()
  expect(telegram.messages).toHaveLength(1)
  const [message] = telegram.messages
  expect(message?.text.split('\n')).toEqual([
    '🔴 CRITICAL · hello is down',
    'When: since 2026-03-02 09:00 UTC, for 0 s',
    'Severity: critical',
    'Reason: connect',
    'Deployed: 4f0c2ad1e9b7 by token:ci, 12 min ago',
    'Runbook · Status · Panel',
    '• [instance=hello:8101]',
  ])
  // Said again by its source: no news.
  await report(down('hello', { annotations: { reason: 'connect' } }))
  advance(240_000)
  await over(down())
  await settled()
  expect(message?.text).toMatch(
    /^✅ RESOLVED · hello is down\nWhen: 2026-03-02 09:00 UTC to 2026-03-02 09:04 UTC, 4 min/,
  )
  expect(message?.history).toHaveLength(2)
  expect(telegram.messages.slice(1)).toEqual([
    expect.objectContaining({ text: '✅ Resolved after 4 min: hello is down', replyTo: message?.id }),
  ])
})

test('a service that is down: since when and why, as it was seen, and what else is down with it', async () => {
  const { report, over, settled, advance, store, telegram } = await watched(engine())
  const second = Date.parse('2026-03-02T08:57:30Z') / 1000
  const seen = (service: string, at: number, kind: string, code: string | null = null) => ({
    ...{
      service,
      at,
      kind,
      status: kind === 'down' ? 'outage' : 'operational',
      changes: 1,
      mixed_until: null,
    },
    ...{ reason_code: code, reason_message: code && 'Nothing takes the connection.' },
    ...{ up_s: 0, degraded_s: 0, down_s: 0, maintenance_s: 0 },
  })
  const note = (...rows: ReturnType<typeof seen>[]) =>
    store.write(transaction => transaction.insertInto('service_change').values(rows).execute())
  await note(
    seen('hello', second - 900, 'up'),
    seen('hello', second, 'down', 'connect'),
    seen('other', second, 'up'),
  )
  // Down by its own account, though it was seen up; and something else about the one that is down.
  await report(down('other'))
  await settled()
  await report(down('hello'))
  await settled()
  await report(down('hello', { labels: { alertname: 'DiskFull' } }))
  await settled()
  const [other, hello, disk] = telegram.messages
  expect(other?.text).toContain('When: since 2026-03-02 09:00 UTC, for 0 s')
  expect(other?.text).not.toMatch(/Reason|Also down/)
  expect(hello?.text).toContain('When: since 2026-03-02 08:57 UTC, for 2 min')
  expect(hello?.text).toContain('Reason: connect: Nothing takes the connection.')
  expect(hello?.text).toContain('Also down: other')
  expect(disk?.text).toContain('When: since 2026-03-02 09:00 UTC')
  expect(disk?.text).not.toContain('Reason')
  advance(150_000)
  await note(seen('hello', second + 300, 'up'))
  await over(down('hello'))
  await settled()
  expect(hello?.text).toContain('When: 2026-03-02 08:57 UTC to 2026-03-02 09:02 UTC, 5 min')
})

test('later ones are bundled, and only what is new is called for', async () => {
  const { report, settled, advance, texts, telegram } = await watched(engine())
  await report(down())
  await settled()
  for (const instance of ['b', 'c', 'd']) {
    await report(down('hello', { labels: { instance } }))
    advance(5000)
  }
  await settled()
  expect(texts()).toHaveLength(1)
  advance(30_000)
  await settled()
  expect(texts()).toEqual([
    '🔴 CRITICAL · hello is down (4 alerts)',
    '➕ More alerts: hello is down (4 alerts)',
  ])
  expect(telegram.messages[0]?.text.split('\n').filter(line => line.startsWith('•'))).toHaveLength(4)
})

test('a silence keeps it quiet, and its end is told all the same to whoever has heard of it', async () => {
  const { report, over, settled, advance, texts, alerts, store, telegram } = await watched(engine())
  const silence = (matchers: string[], seconds: number) =>
    store.write(async transaction => {
      const ends_at = new Date(Date.parse('2026-03-02T09:00:00Z') + seconds * 1000).toISOString()
      const made = await alerts.silences.create(transaction, byAna, { matchers, ends_at, comment: 'disk' })
      await alerts.lookAgain(transaction)
      return made
    })
  await silence(['job=~"qui.*"'], 100)
  await report(down('quiet'), down('hello'))
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · hello is down'])
  await silence(['job=hello'], 3600)
  await settled()
  expect(texts()).toEqual(['🔇 SILENCED · hello is down'])
  // The silence of the other ends, and it still fires.
  advance(120_000)
  await settled()
  expect(texts()).toEqual(['🔇 SILENCED · hello is down', '🔴 CRITICAL · quiet is down'])
  await over(down('hello'))
  await settled()
  expect(texts()).toEqual([
    '✅ RESOLVED · hello is down',
    '🔴 CRITICAL · quiet is down',
    '✅ Resolved after 2 min: hello is down',
  ])
  expect(telegram.messages[2]?.replyTo).toBe(telegram.messages[0]?.id)
})

test('a source that falls silent is lost: its alerts are not over, and a person may end them', async () => {
  const { reportAs, settled, advance, texts, open, alerts, store, telegram } = await watched(engine())
  await reportAs(leased, down())
  await settled()
  advance(299_000)
  await reportAs(leased, down())
  advance(299_000)
  await settled()
  expect((await open()).items[0]?.state).toBe('firing')
  advance(1000)
  await settled()
  advance(30_000)
  await settled()
  const [alert] = (await open()).items
  expect(alert?.state).toBe('source_lost')
  expect(texts()).toEqual([
    '❔ SOURCE LOST · hello is down',
    '❔ Its source has fallen silent: hello is down',
  ])
  // It reports again: it was there all the time.
  await reportAs(leased, down())
  advance(2000)
  await settled()
  expect(telegram.messages[0]?.text).toMatch(/^🔴 CRITICAL/)
  const end = () => store.write(transaction => alerts.end(transaction, byAna, alert!.id))
  await expect(end()).rejects.toMatchObject({ code: 'alert_reported' })
  advance(400_000)
  await settled()
  await end()
  await settled()
  expect(texts()[0]).toBe('✅ RESOLVED · hello is down')
})
