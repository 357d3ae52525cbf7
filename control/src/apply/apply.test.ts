import { join } from 'node:path'
import { applyOutcome, variableChange } from '@quarterdeck/contract'
import { FakeClock, Postgres, temporaryDirectory } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bySystem } from '#http'
import type { Engine } from '#store'
import { fakeAgent, plantRun, projectsUnderTest, serve } from '../projects/under-test.ts'
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
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const under = await projectsUnderTest(await database(), { clock })
  const ask = await serve(under, applyRoutes(under))
  const apply = async (
    projects: object,
    more: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => ask('POST', `/api/apply?${new URLSearchParams({ ...more })}`, { schema: 1, projects }, headers)
  /** Everything that an apply could have changed. */
  const state = async () => JSON.stringify([(await ask('GET', '')).json, await under.facts()])
  return { under, ask, apply, state, clock }
}

const entry = (change: object = {}) => ({
  repository: 'acme/hello',
  git_url: 'https://git.example.com/acme/hello.git',
  runtime: 'python',
  ...('processes' in change ? {} : { start: ['python', '-m', 'app'] }),
  ...change,
})

const web = (change: object = {}) => ({ name: 'web', start: ['python', '-m', 'app'], ...change })

const refusals = ({ json }: { json: { errors?: { field: string; message: string }[] } }) =>
  Object.fromEntries((json.errors ?? []).map(({ field, message }) => [field, message]))

describe.each(databases)('apply on %s', (_name, missing, database) => {
  beforeEach(context => {
    if (missing) context.skip(missing)
  })

  test('creates, changes and leaves alone in one step, and tells which; a second time it does nothing', async () => {
    const { under, ask, apply, state, clock } = await started(database)
    await under.create({ name: 'blog', port: 9000 })
    await under.create({ name: 'shop', port: 9001, runbook: 'old', limits: { fetch_s: 5 } })
    await under.create({ name: 'wiki' })
    const wanted = {
      shop: entry({
        branch: 'stable',
        processes: [web(), { name: 'tidy', start: ['tidy'], timer: { at: '03:30' } }],
      }),
      blog: entry(),
      hello: entry({ port: 9002 }),
    }
    const shown = await apply(wanted, { dry_run: 'true' })
    const before = await state()
    expect(shown.json).toEqual({
      applied: false,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      created: [{ name: 'hello', repository: 'acme/hello', port: 9002 }],
      changed: [
        {
          name: 'shop',
          changes: [
            { key: 'branch', before: 'main', after: 'stable' },
            { key: 'limits.fetch_s', before: 5, after: 300 },
            { key: 'runbook', before: 'old', after: null },
            {
              key: 'processes.tidy',
              before: null,
              after: { start: ['tidy'], port: null, timer: { at: '03:30' }, socket: false },
            },
          ],
        },
      ],
      unchanged: ['blog'],
      archived: [],
      secrets_to_set: [],
      not_in_file: ['wiki'],
      services: { created: [], changed: [], unchanged: [], removed: [], not_in_file: [] },
    })
    expect(await state()).toBe(before)
    clock.advance(1000)
    const done = await apply(wanted, { digest: shown.json.digest })
    expect([done.status, applyOutcome.parse(done.json)]).toEqual([200, { ...shown.json, applied: true }])
    expect((await ask('GET', '/shop')).json).toMatchObject({
      branch: 'stable',
      runbook: null,
      processes: [{ port: 9001 }, { name: 'tidy' }],
      updated_at: '2026-05-01T00:00:01.000Z',
    })
    expect((await under.facts()).slice(3)).toEqual([
      {
        type: 'project.changed',
        subject: 'project/shop',
        data: { changed: ['branch', 'limits', 'runbook', 'processes'] },
      },
      { type: 'project.created', subject: 'project/hello', data: { repository: 'acme/hello' } },
    ])
    const settled = await state()
    clock.advance(1000)
    const again = await apply(wanted)
    expect(again.json).toMatchObject({ created: [], changed: [], unchanged: ['blog', 'hello', 'shop'] })
    expect(await state()).toBe(settled)
  })

  test('of a document with something wrong changes nothing, and names all of it at once', async () => {
    const { under, apply, state } = await started(database)
    await under.create({ name: 'blog', port: 9000 })
    await under.create({ name: 'old' })
    await under.create({ name: 'busy' })
    await plantRun(under, 'busy', 'running')
    const { store, projects } = under
    await store.write(t => projects.archive(t, { by: 'x', from: null, requestId: null }, 'old'))
    const before = await state()
    const refused = await apply(
      {
        first: entry(),
        blog: entry({ branch: 'next' }),
        third: entry({ port: 9000 }),
        twin: entry({ port: 9100 }),
        twine: entry({ port: 9100 }),
        old: entry(),
        www: entry(),
        taken: entry({ port: 8300 }),
        there: entry({
          adopted: { work: '/srv/x', environment: '/srv/v', user: 'x', units: { web: 'x.service' } },
        }),
      },
      { prune: 'true' },
    )
    expect([refused.status, refused.code]).toEqual([422, 'invalid_fields'])
    expect(refused.json.detail).toContain('Nothing was changed.')
    expect(refusals(refused)).toEqual({
      'projects.old': expect.stringContaining('was archived on 2026-05-01'),
      'projects.www': expect.stringContaining('reserved'),
      'projects.third.port': 'the project blog has it',
      'projects.twin.port': 'the project twine has it',
      'projects.twine.port': 'the project twin has it',
      'projects.taken.port': 'the environment itself uses it',
      'projects.there.adopted': expect.stringContaining('`qd project adopt`'),
      'projects.busy': expect.stringContaining('is running'),
    })
    expect(await state()).toBe(before)
  })

  test('does nothing else than what was shown', async () => {
    const { under, ask, apply, state } = await started(database)
    await under.create({ name: 'blog' })
    const wanted = { blog: entry({ branch: 'next' }), hello: entry() }
    const { digest } = (await apply(wanted, { dry_run: 'true' })).json
    await ask('PATCH', '/blog', { runbook: 'mine' })
    const before = await state()
    const refused = await apply(wanted, { digest })
    expect([refused.status, refused.code]).toEqual([409, 'changed_meanwhile'])
    expect(await state()).toBe(before)
    // What others do elsewhere does not matter.
    const { digest: second } = (await apply(wanted, { dry_run: 'true' })).json
    await under.create({ name: 'elsewhere', port: 9900 })
    expect((await apply(wanted, { digest: second })).status).toBe(200)
  })
})

describe('what is not in the document', () => {
  test('is archived only when that is asked for, with its tokens and units', async () => {
    const { under, ask, apply } = await started()
    const { asked } = await fakeAgent(under)
    await under.create({ name: 'gone', port: 9000 })
    await ask('POST', '/gone/tokens', { label: 'ci' })
    const wanted = { hello: entry({ port: 9000 }) }
    expect(refusals(await apply(wanted))).toHaveProperty(['projects.hello.port'])
    const done = await apply(wanted, { prune: 'true' })
    expect(done.json).toMatchObject({ archived: ['gone'], created: [{ name: 'hello', port: 9000 }] })
    expect((await ask('GET', '/gone')).status).toBe(404)
    expect(asked).toContainEqual({ what: 'remove', project: 'gone' })
    expect((await under.facts()).map(({ type }) => type)).toEqual([
      ...['project.created', 'token.created', 'project.archived', 'token.revoked', 'project.created'],
    ])
  })

  test('is never everything', async () => {
    const { under, apply } = await started()
    expect((await apply({}, { prune: 'true' })).status).toBe(200)
    await under.create()
    expect(refusals(await apply({}, { prune: 'true' }))).toHaveProperty('projects')
  })
})

describe('ports', () => {
  test('are given out to those that say none after those that say one', async () => {
    const { under, apply } = await started()
    const busy = [8403]
    await fakeAgent(under, { busy_ports: busy })
    const { json } = await apply({ a: entry(), b: entry({ port: 8400 }), c: entry(), d: entry() })
    // 8402 is the environment's own, and another program listens on 8403.
    expect(json.created.map(({ port }: { port: number }) => port)).toEqual([8401, 8400, 8404, 8405])
  })

  test('that other programs listen on are refused for those to whom they are new', async () => {
    const { under, apply, state } = await started()
    await under.create({ name: 'kept', port: 9000 })
    await under.create({ name: 'moved', port: 9001 })
    await under.create({ name: 'worker', processes: [{ name: 'mailer', start: ['x'] }] })
    const { asked } = await fakeAgent(under, { busy_ports: [9000, 9001, 9002, 9003] })
    const before = await state()
    const refused = await apply({
      kept: entry({ port: 9000, branch: 'x' }),
      moved: entry({ port: 9002 }),
      fresh: entry({ port: 9003 }),
      worker: entry(),
    })
    expect(refusals(refused)).toEqual({
      'projects.moved.port': 'another program on web-1 listens on it',
      'projects.fresh.port': 'another program on web-1 listens on it',
    })
    expect(asked).toHaveLength(3)
    expect(await state()).toBe(before)
  })

  test('go from one project to another in one step', async () => {
    const { under, ask, apply } = await started()
    await under.create({ name: 'a', port: 9000 })
    await under.create({ name: 'b', port: 9001 })
    expect((await apply({ a: entry({ port: 9001 }), b: entry({ port: 9000 }) })).status).toBe(200)
    expect((await ask('GET', '/a')).json.processes[0].port).toBe(9001)
  })
})

describe('an adopted project', () => {
  const adopted = { work: '/srv/x', environment: '/srv/v', user: 'x', units: { web: 'x.service' } }

  test('is changed, and stays adopted whether that is said or not', async () => {
    const { under, ask, apply } = await started()
    await under.create({ port: 9000, adopted })
    for (const more of [{}, { adopted }]) {
      const { json } = await apply({ hello: entry({ branch: 'next', ...more }) })
      expect(json.changed.length + json.unchanged.length).toBe(1)
    }
    expect((await ask('GET', '/hello')).json).toMatchObject({ branch: 'next', adopted })
  })

  test('is not adopted otherwise, and keeps its processes', async () => {
    const { under, apply } = await started()
    await under.create({ port: 9000, adopted })
    const other = await apply({ hello: entry({ adopted: { ...adopted, work: '/srv/y' } }) })
    expect(refusals(other)).toHaveProperty(['projects.hello.adopted'])
    const more = await apply({ hello: entry({ processes: [web(), { name: 'mailer', start: ['x'] }] }) })
    expect(refusals(more)).toHaveProperty(['projects.hello.adopted.units'])
  })
})

test('what is not understood is refused with its place, all of it', async () => {
  const { ask, apply } = await started()
  const refused = await apply({
    hello: { ...entry({ port: 'x' }), prot: 1 },
    Shop: entry(),
    blog: entry({ limits: { fetch: 3 } }),
  })
  expect(Object.keys(refusals(refused)).sort()).toEqual(
    ['projects.Shop', 'projects.blog.limits', 'projects.hello', 'projects.hello.port'].sort(),
  )
  for (const body of [{}, { schema: 2 }, { schema: 1, projects: [] }, { schema: 1, machines: {} }, []])
    expect((await ask('POST', '/api/apply', body)).code).toBe('invalid_fields')
})

test('processes in another order are a change that is told', async () => {
  const { under, apply } = await started()
  const mailer = { name: 'mailer', start: ['x'] }
  await under.create({ processes: [web(), mailer] })
  const { json } = await apply({ hello: entry({ processes: [mailer, web()] }) })
  expect(json.changed[0].changes).toEqual([
    { key: 'order of processes', before: ['web', 'mailer'], after: ['mailer', 'web'] },
  ])
})

test('with a key it is done once', async () => {
  const { under, apply } = await started()
  const key = { 'idempotency-key': 'k' }
  const first = await apply({ hello: entry() }, {}, key)
  const second = await apply({ hello: entry() }, {}, key)
  expect([second.status, second.json]).toEqual([200, first.json])
  expect(await under.facts()).toHaveLength(1)
})

describe('variables', () => {
  const withHello = async () => {
    const it = await started()
    await it.under.create()
    const set = (variables: object) =>
      it.under.write(t =>
        it.under.variables.change(t, bySystem, 'hello', variableChange.parse({ set: variables })),
      )
    const values = async () =>
      Object.fromEntries(
        (await it.under.store.read(t => it.under.variables.list(t, 'hello'))).items.map(
          ({ name, value }) => [name, value] as const,
        ),
      )
    return { ...it, set, values }
  }

  test('that are plain become those of the document, and secrets stay', async () => {
    const { under, apply, set, values } = await withHello()
    await set({ A: { value: '1' }, B: { value: '2' }, KEY: { value: 'hunter22', secret: true } })
    const wanted = { hello: entry({ variables: { A: '1', C: '3', OTHER: { secret: true } } }) }
    const shown = (await apply(wanted, { dry_run: 'true' })).json
    expect(shown).toMatchObject({
      changed: [
        {
          name: 'hello',
          changes: [
            { key: 'variables.C', before: null, after: '3' },
            { key: 'variables.B', before: '2', after: null },
          ],
        },
      ],
      unchanged: [],
      secrets_to_set: [{ project: 'hello', name: 'OTHER' }],
    })
    expect((await apply(wanted, { digest: shown.digest })).status).toBe(200)
    expect(await values()).toEqual({ A: '1', C: '3', KEY: null })
    const facts = (await under.facts()).length
    expect((await apply(wanted)).json).toMatchObject({ changed: [], unchanged: ['hello'] })
    expect(await under.facts()).toHaveLength(facts)
  })

  test('stay as they are where the document says nothing of them', async () => {
    const { apply, set, values } = await withHello()
    await set({ A: { value: '1' } })
    expect((await apply({ hello: entry() })).json).toMatchObject({ changed: [] })
    expect(await values()).toEqual({ A: '1' })
    await apply({ hello: entry({ variables: {} }) })
    expect(await values()).toEqual({})
  })

  test('of a new project come with it', async () => {
    const { under, apply } = await withHello()
    const { json } = await apply({ fresh: entry({ variables: { A: '1', KEY: { secret: true } } }) })
    expect(json.secrets_to_set).toEqual([{ project: 'fresh', name: 'KEY' }])
    const { items } = await under.store.read(t => under.variables.list(t, 'fresh'))
    expect(items).toMatchObject([{ name: 'A', value: '1', secret: false }])
  })

  test('that cannot be change nothing', async () => {
    const { apply, set, state, values } = await withHello()
    await set({ KEY: { value: 'hunter22', secret: true } })
    const before = await state()
    const refused = await apply({ fresh: entry(), hello: entry({ variables: { KEY: 'shown' } }) })
    expect(refusals(refused)).toEqual({
      'projects.hello.variables.KEY': expect.stringContaining('is a secret there'),
    })
    const large = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`V${n}`, 'x'.repeat(32_000)]))
    const tooMuch = await apply({ fresh: entry(), hello: entry({ variables: large }) })
    expect(refusals(tooMuch)).toHaveProperty(['projects.hello.variables'])
    for (const variables of [{ A: 1 }, { 'a b': 'x' }, { PORT: '1' }, { A: { secret: false } }, { A: null }])
      expect((await apply({ hello: entry({ variables }) })).code).toBe('invalid_fields')
    expect([await state(), await values()]).toEqual([before, { KEY: null }])
  })
})
