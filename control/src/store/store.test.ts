import { join } from 'node:path'
import { Postgres, temporaryDirectory } from '@quarterdeck/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyStore } from './copy-store.ts'
import { postgresEngine } from './engines/postgres/index.ts'
import { sqliteEngine } from './engines/sqlite/index.ts'
import { Store } from './store.ts'
import { storeSuite } from './suite.ts'

let postgres: Postgres | undefined

beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

storeSuite({
  name: 'SQLite',
  missing: undefined,
  async database() {
    const file = join(temporaryDirectory(), 'database.sqlite')
    return () => sqliteEngine(file)
  },
})

storeSuite({
  name: 'PostgreSQL',
  missing: Postgres.missing(),
  async database() {
    const url = await postgres!.database()
    return () => postgresEngine(url)
  },
})

test('a copy goes from SQLite to PostgreSQL and back', async context => {
  if (!postgres) context.skip(Postgres.missing())
  const directory = temporaryDirectory()
  const first = await Store.open(sqliteEngine(join(directory, 'first')))
  const second = await Store.open(postgresEngine(await postgres!.database()))
  const third = await Store.open(sqliteEngine(join(directory, 'third')))
  await first.write(transaction =>
    transaction
      .insertInto('event_reader')
      .values({ name: 'audit', position: 2 ** 50 })
      .execute(),
  )
  await copyStore(first, second)
  await copyStore(second, third)
  const rows = await third.read(transaction => transaction.selectFrom('event_reader').selectAll().execute())
  expect(rows.map(row => ({ ...row }))).toEqual([{ name: 'audit', position: 2 ** 50 }])
  await Promise.all([first, second, third].map(store => store.close()))
})
