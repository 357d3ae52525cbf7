/** Watched services in an environment’s file, beside projects. */
import { join } from 'node:path'
import { applyOutcome, type ServiceEntry } from '@quarterdeck/contract'
import { Postgres, temporaryDirectory } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '#store'
import { projectsUnderTest, serve } from '../projects/under-test.ts'
import { serviceRoutes } from '../services/routes.ts'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { applyRoutes } from './routes.ts'

let postgres: Postgres | undefined
beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

const sqlite = async (): Promise<Engine> => sqliteEngine(join(temporaryDirectory(), 'database'))

const databases: [string, string | undefined, () => Promise<Engine>][] = [
  ['SQLite', undefined, sqlite],
  ['PostgreSQL', Postgres.missing(), async () => postgresEngine(await postgres!.database())],
]

async function started(database = sqlite) {
  const under = await projectsUnderTest(await database())
  const ask = await serve(under, [
    ...applyRoutes(under),
    ...serviceRoutes({ ...under, own: [], look: () => Promise.reject(new Error('nobody asks')) }),
  ])
  const apply = (file: object, query: Record<string, string> = {}) =>
    ask('POST', `/api/apply?${new URLSearchParams(query)}`, { schema: 1, ...file })
  const add = (id: string, more: object = {}) =>
    ask('POST', '/api/services', { id, url: `https://${id}.example/`, ...more })
  const ids = async () =>
    (await ask('GET', '/api/services?kind=watched')).json.items.map(({ id }: ServiceEntry) => id)
  return { under, ask, apply, add, ids }
}

const hello = {
  repository: 'acme/hello',
  git_url: 'https://git.example.com/acme/hello.git',
  runtime: 'python',
  start: ['app'],
}

describe.each(databases)('services of a document on %s', (_name, missing, database) => {
  beforeEach(context => {
    if (missing) context.skip(missing)
  })

  test('are added, changed, left alone and, if that is asked for, removed; a second time nothing is done', async () => {
    const { under, ask, apply, add, ids } = await started(database)
    await add('dns', { headers: { 'x-key': 'sentinel' } })
    await add('mail', { interval_s: 60, expect: { status: 204 } })
    await add('old')
    const file = {
      projects: { hello: { ...hello, depends_on: ['pay', 'admin'] } },
      services: {
        pay: { url: 'https://pay.example/', depends_on: ['hello', 'dns'] },
        mail: { url: 'https://mail.example/' },
        dns: { url: 'https://dns.example/' },
      },
    }
    const shown = await apply(file, { dry_run: 'true' })
    expect(applyOutcome.parse(shown.json).services).toEqual({
      created: [{ name: 'pay', url: 'https://pay.example/' }],
      changed: [
        {
          name: 'mail',
          changes: [
            { key: 'expect.status', before: 204, after: '200-299' },
            { key: 'interval_s', before: 60, after: 15 },
          ],
        },
      ],
      unchanged: ['dns'],
      removed: [],
      not_in_file: ['old'],
    })
    expect(await ids()).toEqual(['dns', 'mail', 'old'])
    const done = await apply(file, { prune: 'true' })
    expect(done.json.services).toMatchObject({ removed: ['old'], not_in_file: [] })
    expect(await ids()).toEqual(['dns', 'mail', 'pay'])
    expect((await ask('GET', '/api/services/dns')).json.watched.header_names).toEqual(['x-key'])
    const facts = await under.facts()
    const again = await apply(file, { prune: 'true' })
    expect(again.json.services).toMatchObject({ created: [], changed: [], removed: [] })
    expect(await under.facts()).toEqual(facts)
  })
})

test('a document that says nothing of services leaves them as they are, whatever else is pruned', async () => {
  const { apply, add, ids } = await started()
  await add('dns')
  expect((await apply({ projects: { hello } }, { prune: 'true' })).json.services).toMatchObject({
    removed: [],
  })
  expect(await ids()).toEqual(['dns'])
  const refused = await apply({ projects: { hello }, services: {} }, { prune: 'true' })
  expect([refused.status, refused.json.errors]).toEqual([
    422,
    [expect.objectContaining({ field: 'services' })],
  ])
  expect(await ids()).toEqual(['dns'])
})

test('whatever is wrong with them changes nothing, and is told at once', async () => {
  const { under, apply, add, ids } = await started()
  await under.create({ name: 'shop' })
  await add('dns')
  const refused = await apply({
    projects: { hello, dns: hello, lost: { ...hello, depends_on: ['nowhere'] } },
    services: {
      hello: { url: 'https://a.example/' },
      shop: { url: 'https://b.example/' },
      front: { url: 'https://c.example/' },
      pay: { url: 'https://d.example/', depends_on: ['nowhere', 'pay'] },
    },
  })
  expect(refused.json.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
    'projects.dns',
    'projects.lost.depends_on',
    'services.front',
    'services.hello',
    'services.pay.depends_on',
    'services.shop',
  ])
  expect(await ids()).toEqual(['dns'])
})

test('what was shown is what is done', async () => {
  const { apply, add, ids } = await started()
  const file = { services: { pay: { url: 'https://pay.example/' } } }
  const { digest } = (await apply(file, { dry_run: 'true' })).json
  await add('pay')
  expect(await apply(file, { digest })).toMatchObject({ status: 409, code: 'changed_meanwhile' })
  const other = { services: { pay: { url: 'https://pay.example/', interval_s: 30 } } }
  const shown = (await apply(other, { dry_run: 'true' })).json.digest
  expect((await apply(other, { digest: shown })).status).toBe(200)
  expect(await ids()).toEqual(['pay'])
})
