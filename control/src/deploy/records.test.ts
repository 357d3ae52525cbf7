import { join } from 'node:path'
import { Postgres, temporaryDirectory } from '@quarterdeck/testing'
import { afterAll, beforeAll } from 'vitest'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { recordsSuite } from './suite.ts'

let postgres: Postgres | undefined

beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

recordsSuite({
  name: 'SQLite',
  missing: undefined,
  engine: async () => sqliteEngine(join(temporaryDirectory(), 'database.sqlite')),
})

recordsSuite({
  name: 'PostgreSQL',
  missing: Postgres.missing(),
  engine: async () => postgresEngine(await postgres!.database()),
})
