/** The same on PostgreSQL, whose SQL is not the same everywhere. */
import { Postgres, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { hookUnderTest, pushOf, writingUnderTest } from './under-test.ts'

let postgres: Postgres | undefined

beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())
beforeEach(context => {
  const missing = Postgres.missing()
  if (missing) context.skip(missing)
})

const [a, b, c] = [1, 2, 3].map(commit) as [string, string, string]

test('statuses are kept, sent again and sent', async () => {
  const { accept, change, api } = await writingUnderTest(postgresEngine(await postgres!.database()))
  const answers = [503, 201]
  api.answer = () => [answers.shift() ?? 201]
  await accept(a)
  const id = await accept(b)
  await change(id, 'run.ended', { ended_at: 'x', status: 'succeeded', sha: b })
  await until('both are told', () => api.states().filter(state => state.endsWith('success')).length === 2)
})

test('a hook is made, rotated and called; a delivery is seen once', async () => {
  const database = { ...loadConfig({ home: '/nowhere' }).database, engine: 'postgres' as const }
  const under = await controlUnderTest({ database: { ...database, url: await postgres!.database() } })
  await projectUnderTest(under)
  const hook = await hookUnderTest(under)
  await hook.rotate()
  const first = await hook.deliver(pushOf(a, b), { delivery: 'x' })
  expect(first.status).toBe(202)
  expect((await hook.deliver(pushOf(b, c), { delivery: 'x' })).json.id).toBe(first.json.id)
  expect((await hook.deliver(pushOf(b, c), { delivery: 'y' })).json.id).not.toBe(first.json.id)
})
