/** The same on PostgreSQL, whose SQL is not the same everywhere and which can be away. */
import { Postgres, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { copyStore, Store } from '#store'
import { postgresEngine } from '../../store/engines/postgres/index.ts'
import { sqliteEngine } from '../../store/engines/sqlite/index.ts'
import { change, databaseFile, type HistoryUnderTest, historyUnderTest, startS } from './under-test.ts'

const hour = 3600
const day = 24 * hour
let postgres: Postgres | undefined

beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())
beforeEach(context => {
  const missing = Postgres.missing()
  if (missing) context.skip(missing)
})

/** Some of everything. */
function live({ history, clock, now, watch }: HistoryUnderTest): void {
  history.changed('hello', change(startS, 'up'))
  for (let index = 0; index < 100; index++) {
    watch(60)
    const signals = { requests: index * 7, latency: null, memoryBytes: 1e9 }
    history.looked('hello', now(), { latencyMs: 3 + index, signals })
    if (index > 50) history.changed('hello', change(now(), index % 2 === 0 ? 'up' : 'down'))
  }
  clock.jump(hour * 1000)
  watch(hour)
}

const told = async ({ history, now }: HistoryUnderTest) => ({
  uptime: history.uptime('hello', now()),
  days: history.days('hello', now(), 'America/New_York', 90),
  latency: history.latency('hello', now()),
  charts: [
    await history.signals('hello', startS, now()),
    await history.signals('hello', startS - 2 * day, now()),
    await history.signals('hello', startS - 30 * day, now()),
  ],
  last: history.last('hello'),
})

test('what was seen is read back by the next process, and carried to another database', async () => {
  const url = await postgres!.database()
  const before = await historyUnderTest(() => postgresEngine(url))
  live(before)
  await before.history.stop()
  const expected = await told(before)
  expect(expected.last?.kind).toBe('down')
  expect(expected.charts.map(({ length }) => length)).toEqual([21, 2, 1])

  const file = databaseFile()
  const copy = await Store.open(sqliteEngine(file))
  await copyStore(before.store, copy)
  await copy.close()
  const restored = await historyUnderTest(() => sqliteEngine(file), before.clock)
  expect(await told(restored)).toEqual(expected)
  await restored.history.stop()
  const after = await before.again()
  expect(await told(after)).toEqual(expected)
}, 60_000)

test('PostgreSQL that is away for a minute loses nothing, and figures stay true meanwhile', async () => {
  const url = await postgres!.database()
  const under = await historyUnderTest(() => postgresEngine(url))
  const { history, now, watch, log } = under
  history.changed('hello', change(startS, 'up'))
  await until('it is stored', async () => (await under.events.latest()) === 1)
  await postgres!.down()
  for (let index = 0; index < 60; index++) {
    watch(1, 1)
    history.looked('hello', now(), { latencyMs: 5 })
    if (index % 20 === 10) history.changed('hello', change(now(), index === 30 ? 'up' : 'down'))
  }
  const expected = { up_s: 31, down_s: 29 }
  expect(history.days('hello', now(), 'UTC', 1)).toMatchObject([expected])
  await until('it was tried', () => log.text().includes('kept in memory until it can be'))
  await postgres!.up()
  await until('it is stored again', () => log.text().includes('being stored again'), 30_000)
  const after = await under.again()
  expect(after.history.days('hello', after.now(), 'UTC', 1)).toMatchObject([expected])
  const statuses = (await after.events.after(0)).map(({ data }) => data.status)
  expect(statuses).toEqual(['operational', 'outage', 'operational', 'outage'])
}, 60_000)
