import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import {
  alertsUnderTest,
  byAna,
  down,
  leased,
  telegramSettings,
  telegramUnderTest,
  type UnderTestOptions,
} from './under-test.ts'

/** With one channel that hears everything. */
async function watched(options: Partial<UnderTestOptions> = {}) {
  const engine = sqliteEngine(join(temporaryDirectory(), 'database.sqlite'))
  const it = await alertsUnderTest({ engine, ...options })
  const telegram = await telegramUnderTest()
  const channel = await it.channel('on-call', telegramSettings(telegram, { updates: 'none' }))
  const texts = () => telegram.messages.map(({ text }) => text.split('\n', 1)[0])
  return { ...it, telegram, channel, texts }
}

test('the first critical alert is told at once, and the same message is resolved, with a reply', async () => {
  const { report, over, settled, telegram, advance, world } = await watched()
  world.contexts.hello = {
    group: 'production',
    runbook: 'https://docs.example.com/runbooks/hello',
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
    'Runbook · Panel',
    '• hello is down [instance=hello:8101]',
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

test('later ones are bundled, and only what is new is called for', async () => {
  const { report, settled, advance, texts, telegram } = await watched()
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

test('what is not critical waits for the bundle; what is over by then is never told', async () => {
  const { report, over, settled, advance, texts } = await watched()
  const slow = down('hello', { labels: { alertname: 'Slow', severity: 'warning' } })
  await report(slow)
  await settled()
  await over(slow)
  advance(60_000)
  await settled()
  expect(texts()).toEqual([])
  await report(slow)
  advance(30_000)
  await settled()
  expect(texts()).toEqual(['🟠 WARNING · hello is down'])
})

test('what nobody acknowledges is repeated; what somebody sees to is not, until it ends', async () => {
  const { report, settled, advance, texts, alerts, store, open, over, events } = await watched()
  await report(down())
  await settled()
  advance(4 * 3_600_000)
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · hello is down', '🔁 Still CRITICAL for 4 h: hello is down'])
  const id = (await open()).items[0]!.id
  const acknowledged = await store.write(transaction => alerts.acknowledge(transaction, byAna, id, 'on it'))
  expect(acknowledged).toMatchObject({ acknowledged: { by: 'operator:ana' }, state: 'firing' })
  advance(2000)
  await settled()
  advance(24 * 3_600_000)
  await settled()
  expect(texts()).toEqual(['👀 ACKNOWLEDGED · hello is down', '🔁 Still CRITICAL for 4 h: hello is down'])
  await over(down())
  await report(down('hello', { labels: { instance: 'another' } }))
  await settled()
  const types = (await events.after(0)).map(({ type }) => type)
  expect(types.filter(type => type === 'alert.acknowledged')).toHaveLength(1)
  await expect(store.write(transaction => alerts.acknowledge(transaction, byAna, id))).rejects.toMatchObject({
    code: 'alert_over',
  })
})

test('a silence keeps it quiet, and its end is told all the same to whoever has heard of it', async () => {
  const { report, over, settled, advance, texts, alerts, store, telegram } = await watched()
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

test('a maintenance silences', async () => {
  const { report, settled, advance, texts, world } = await watched()
  world.maintained.add('hello')
  await report(down())
  advance(600_000)
  await settled()
  expect(texts()).toEqual([])
  world.maintained.clear()
  advance(15_000)
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · hello is down'])
})

test('what depends on a service that is down stands in its message, but never ServiceDown, unless that is wanted', async () => {
  const { report, over, settled, advance, texts, world, telegram } = await watched()
  world.parents = { shop: ['database'] }
  const slow = down('shop', { labels: { alertname: 'Slow' } })
  await report(down('database'))
  await settled()
  await report(slow)
  await settled()
  advance(2000)
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · database is down'])
  expect(telegram.messages[0]?.text).toContain('\nAlso down: shop')
  await report(down('shop'))
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · database is down', '🔴 CRITICAL · shop is down'])
  await over(down('database'))
  advance(15_000)
  await settled()
  expect(texts().filter(text => text === '🔴 CRITICAL · shop is down')).toHaveLength(2)

  const wanted = await watched({ settings: { inhibitServiceDown: true } })
  wanted.world.parents = { shop: ['database'] }
  await wanted.report(down('database'))
  await wanted.settled()
  await wanted.report(down('shop'))
  await wanted.settled()
  expect(wanted.texts()).toEqual(['🔴 CRITICAL · database is down'])
})

test('a source that falls silent is lost: its alerts are not over, and a person may end them', async () => {
  const { reportAs, settled, advance, texts, open, alerts, store, telegram } = await watched()
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

test('what comes back soon is the same problem: its message fires again, with a reply', async () => {
  const { report, over, settled, advance, texts } = await watched()
  await report(down())
  await settled()
  await over(down())
  await settled()
  advance(60_000)
  await report(down())
  advance(30_000)
  await settled()
  expect(texts()).toEqual([
    '🔴 CRITICAL · hello is down',
    '✅ Resolved after 0 s: hello is down',
    '🔴 It is back: hello is down',
  ])
})

test('a clock that is set by hours makes nobody seem lost, and keeps nothing waiting', async () => {
  const { reportAs, settled, advance, clock, alerts, open, texts, report, log } = await watched()
  await reportAs(leased, down())
  await settled()
  clock.jump(6 * 3_600_000)
  alerts.wake()
  await until('it is noticed', () => log.text().includes('the clock was set'))
  await settled()
  expect((await open()).items[0]?.state).toBe('firing')
  await report(down('other', { labels: { severity: 'warning' } }))
  clock.jump(-24 * 3_600_000)
  alerts.wake()
  await until('it is noticed', () => log.text().includes('"seconds":-86400'))
  await settled()
  advance(30_000)
  await settled()
  expect(texts()).toContain('🟠 WARNING · other is down')
})
