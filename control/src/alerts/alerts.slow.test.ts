import { join } from 'node:path'
import type { TelegramSettings } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { pressed } from './chat/buttons.ts'
import { byAna, down, leased, watched } from './under-test.ts'

const engine = () => sqliteEngine(join(temporaryDirectory(), 'database.sqlite'))

test('what is not critical waits for the bundle; what is over by then is never told', async () => {
  const { report, over, settled, advance, texts } = await watched(engine())
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
  const { report, settled, advance, texts, alerts, store, open, over, events } = await watched(engine())
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

test('a maintenance silences', async () => {
  const { report, settled, advance, texts, world } = await watched(engine())
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
  const { report, over, settled, advance, texts, world, telegram } = await watched(engine())
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

  const wanted = await watched(engine(), { settings: { inhibitServiceDown: true } })
  wanted.world.parents = { shop: ['database'] }
  await wanted.report(down('database'))
  await wanted.settled()
  await wanted.report(down('shop'))
  await wanted.settled()
  expect(wanted.texts()).toEqual(['🔴 CRITICAL · database is down'])
})

test('two that depend on each other are not both quiet for the other’s sake', async () => {
  const { report, settled, advance, texts, world } = await watched(engine())
  world.parents = { shop: ['database'], database: ['shop'] }
  const slow = (job: string) => down(job, { labels: { alertname: 'Slow' } })
  await report(slow('shop'), slow('database'))
  await settled()
  advance(60_000)
  await settled()
  expect(texts()).toHaveLength(1)
})

test('a button of a very long label silences it, too', async () => {
  const { report, settled, store, texts, alerts } = await watched(engine())
  const long = down('hello', { labels: { job: 'x'.repeat(5000) } })
  await report(long)
  await settled()
  await store.write(async transaction => {
    const problem = await transaction.selectFrom('problem').select('id').executeTakeFirstOrThrow()
    const [row] = await transaction.selectFrom('channel').selectAll().execute()
    const settings = alerts.channels.settings(row!) as TelegramSettings
    const now = new Date('2026-03-02T09:00:00Z')
    const deploys = undefined as never
    const pressing = { alerts, deploys, settings, channelId: row!.id, now }
    await pressed(transaction, byAna, `silence:${problem.id}`, pressing)
  })
  await settled()
  expect(texts()[0]).toMatch(/^🔇 SILENCED/)
})

test('what comes back soon is the same problem: its message fires again, with a reply', async () => {
  const { report, over, settled, advance, texts } = await watched(engine())
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
  const { reportAs, settled, advance, clock, alerts, open, texts, report, log } = await watched(engine())
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
