import { join } from 'node:path'
import { Postgres, temporaryDirectory } from '@quarterdeck/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { down, watched } from './under-test.ts'

const engine = () => sqliteEngine(join(temporaryDirectory(), 'database.sqlite'))
const alertsOf = (count: number, labels: (index: number) => Record<string, string>) =>
  Array.from({ length: count }, (_, index) => down('hello', { labels: labels(index) }))

let postgres: Postgres | undefined

beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

test('ten thousand alerts of one problem at once are one message, that ends', async () => {
  const { report, over, settled, texts, telegram, log } = await watched(engine())
  const alerts = alertsOf(10_000, index => ({ instance: `web-${index}` }))
  const before = process.memoryUsage().heapUsed
  await report(...alerts)
  await settled()
  expect(texts()).toEqual(
    ['🔴 CRITICAL · ServiceDown: hello (10000 alerts)'].map(() => expect.stringContaining('10000 alerts')),
  )
  expect(telegram.messages[0]?.text).toContain('… and 9970 more')
  await over(...alerts)
  await settled()
  expect(telegram.messages).toHaveLength(2)
  expect(telegram.messages[0]?.text).toMatch(/^✅ RESOLVED/)
  global.gc?.()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024)
  expect(log.text()).not.toContain('"level":50')
})

test('ten thousand problems at once are a few messages, and none is lost', async () => {
  const { report, over, settled, advance, telegram, open, store } = await watched(engine())
  const alerts = alertsOf(10_000, index => ({ job: `job-${index}`, alertname: `Alert${index % 500}` }))
  for (let from = 0; from < alerts.length; from += 500) await report(...alerts.slice(from, from + 500))
  advance(30_000)
  await settled()
  expect(telegram.messages.length).toBeLessThan(60)
  expect((await open()).items).toHaveLength(200)
  const counted = await store.read(transaction =>
    transaction
      .selectFrom('alert')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('open_key', 'is not', null)
      .executeTakeFirst(),
  )
  expect(Number(counted?.count)).toBe(10_000)
  for (let from = 0; from < alerts.length; from += 500) await over(...alerts.slice(from, from + 500))
  await settled()
  advance(60_000)
  await settled()
  const first = telegram.messages.filter(({ replyTo }) => replyTo === undefined)
  expect(first.every(({ text }) => text.startsWith('✅'))).toBe(true)
})

test('on PostgreSQL the story is the same', async context => {
  const missing = Postgres.missing()
  if (missing) context.skip(missing)
  const { report, over, settled, texts, advance } = await watched(postgresEngine(await postgres!.database()))
  await report(down(), down('other', { labels: { severity: 'warning' } }))
  await settled()
  expect(texts()).toEqual(['🔴 CRITICAL · hello is down'])
  advance(30_000)
  await settled()
  await over(down())
  await settled()
  expect(texts()).toEqual([
    '✅ RESOLVED · hello is down',
    '🟠 WARNING · other is down',
    '✅ Resolved after 30 s: hello is down',
  ])
})
