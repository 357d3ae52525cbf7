import { join } from 'node:path'
import { placedProject, projectChange } from '@quarterdeck/contract'
import { FakeClock, Postgres, temporaryDirectory } from '@quarterdeck/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bySystem } from '#http'
import type { Engine } from '#store'
import { postgresEngine } from '../store/engines/postgres/index.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { type ProjectsUnderTest, plantRun, projectsUnderTest, sent } from './under-test.ts'

let postgres: Postgres | undefined
beforeAll(async () => {
  if (!Postgres.missing()) postgres = await Postgres.start()
}, 60_000)
afterAll(() => postgres?.remove())

const sqlite = () => sqliteEngine(join(temporaryDirectory(), 'database'))

const databases: [string, string | undefined, () => Promise<Engine>][] = [
  ['SQLite', undefined, async () => sqlite()],
  ['PostgreSQL', Postgres.missing(), async () => postgresEngine(await postgres!.database())],
]

const fault = (code: string, text: string | RegExp = '') =>
  expect.objectContaining({ code, message: expect.stringMatching(text) })

const machine = (name: string, group: string | null = 'production') => ({ name, group, address: '127.0.0.1' })

const change = ({ write, projects }: ProjectsUnderTest, name: string, sentChange: unknown) =>
  write(transaction => projects.change(transaction, bySystem, name, projectChange.parse(sentChange)))
const archive = ({ write, projects }: ProjectsUnderTest, name: string) =>
  write(transaction => projects.archive(transaction, bySystem, name))
const portOf = ({ processes }: { processes: { name: string; port: number | null }[] }) =>
  processes.find(({ name }) => name === 'web')?.port

describe.each(databases)('the registry on %s', (_name, missing, database) => {
  beforeEach(context => {
    if (missing) context.skip(missing)
  })

  test('a project is read back as it was sent, with all that has a default', async () => {
    const clock = new FakeClock('2026-05-01T00:00:00Z')
    const under = await projectsUnderTest(await database(), { clock })
    const created = await under.create({ port: 9000, runbook: 'https://docs.example.com/é😀' })
    expect(created).toEqual({
      name: 'hello',
      repository: 'acme/hello',
      aliases: [],
      git_url: 'https://git.example.com/acme/hello.git',
      branch: 'main',
      group: 'production',
      machines: [],
      runtime: 'python',
      interpreter: null,
      before_restart: null,
      linked_paths: [],
      health: { timeout_s: 60 },
      limits: { fetch_s: 300, install_s: 900, before_restart_s: 600, restart_s: 120 },
      metrics_path: '/metrics',
      description: null,
      depends_on: [],
      runbook: 'https://docs.example.com/é😀',
      adopted: null,
      processes: [{ name: 'web', start: ['python', '-m', 'app'], port: 9000, timer: null, socket: false }],
      paths: ['app/', 'deploy/', 'requirements.txt'],
      held: false,
      held_reason: null,
      instances: [],
      url: 'https://hello.example.com',
      created_at: '2026-05-01T00:00:00.000Z',
      updated_at: '2026-05-01T00:00:00.000Z',
    })
    expect(await under.store.read(t => under.projects.read(t, 'hello'))).toEqual(created)
    expect(await under.facts()).toEqual([
      { type: 'project.created', subject: 'project/hello', data: { repository: 'acme/hello' } },
    ])
  })

  test('of many who want a name or a port at once, exactly one gets it', async () => {
    const under = await projectsUnderTest(await database())
    const won = (outcomes: PromiseSettledResult<unknown>[]) =>
      outcomes.filter(({ status }) => status === 'fulfilled').length
    const names = await Promise.allSettled(Array.from({ length: 10 }, () => under.create()))
    expect(won(names)).toBe(1)
    const ports = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => under.create({ name: `p${i}`, port: 9000 })),
    )
    expect(won(ports)).toBe(1)
    for (const { reason } of ports.filter(outcome => outcome.status === 'rejected'))
      expect(reason).toEqual(fault('port_taken', /the project p\d has it/))
    const given = await Promise.all(Array.from({ length: 10 }, (_, i) => under.create({ name: `q${i}` })))
    expect(new Set(given.map(portOf)).size).toBe(10)
  })

  test('a list is by name, in pages, without the archived, and only of what the caller may see', async () => {
    const under = await projectsUnderTest(await database())
    for (const name of ['b', 'a-b', 'ab', 'a', 'c', 'gone']) await under.create({ name })
    await archive(under, 'gone')
    const list = (limit: number, after?: string, only: string[] | null = null) =>
      under.store.read(t => under.projects.list(t, { limit, after }, only))
    const first = await list(3)
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'a-b', 'ab'])
    const after = Buffer.from(first.next_cursor!, 'base64url').toString()
    const second = await list(3, after)
    expect([second.items.map(({ name }) => name), second.next_cursor]).toEqual([['b', 'c'], null])
    expect((await list(9, undefined, ['c', 'gone', 'never'])).items.map(({ name }) => name)).toEqual(['c'])
    expect((await list(9, undefined, [])).items).toEqual([])
  })

  test('an archived project is not found, its name stays taken, and its port is free', async () => {
    const under = await projectsUnderTest(await database())
    await under.create({ port: 9000 })
    await archive(under, 'hello')
    const { projects, store } = under
    expect(await store.read(t => projects.find(t, 'hello'))).toBeUndefined()
    await expect(store.read(t => projects.read(t, 'hello'))).rejects.toEqual(fault('not_found'))
    await expect(archive(under, 'hello')).rejects.toEqual(fault('not_found'))
    await expect(change(under, 'hello', { branch: 'x' })).rejects.toEqual(fault('not_found'))
    await expect(under.create()).rejects.toEqual(fault('project_exists', /archived.*data is still/))
    expect(portOf(await under.create({ name: 'next', port: 9000 }))).toBe(9000)
    expect((await under.facts()).map(({ type }) => type)).toContain('project.archived')
  })

  test.each(['queued', 'running'])('a project with a run that is %s is not archived', async status => {
    const under = await projectsUnderTest(await database())
    await under.create()
    await plantRun(under, 'hello', status)
    await expect(archive(under, 'hello')).rejects.toEqual(fault('project_busy', status))
  })
})

const onSqlite = (machines?: Parameters<typeof projectsUnderTest>[1]) => projectsUnderTest(sqlite(), machines)

describe('names', () => {
  test.each(['admin', 'status', 'docs', 'auth', 'metrics', 'edge', 'www', 'localhost', 'api', 'front'])(
    '%s is the environment’s own',
    async name => {
      const under = await onSqlite()
      const refusal = under.create({ name })
      await expect(refusal).rejects.toEqual(fault('invalid_fields'))
      await expect(refusal).rejects.toMatchObject({ fields: [{ field: 'name' }] })
    },
  )

  test('an existing one is refused, and two projects may share a repository', async () => {
    const under = await onSqlite()
    await under.create()
    await expect(under.create({ repository: 'acme/other' })).rejects.toEqual(
      fault('project_exists', 'acme/hello'),
    )
    expect((await under.create({ name: 'hello-2' })).repository).toBe('acme/hello')
  })
})

describe('ports', () => {
  test('a web process without one gets the first that is free', async () => {
    const under = await onSqlite()
    await under.create({ name: 'taken', port: 8401 })
    const busy = new Map([[8403, 'web-1']])
    const given = await under.write(t => under.projects.create(t, bySystem, sent(), busy))
    expect(portOf(given)).toBe(8400)
    const processes = [{ name: 'web', start: ['x'], port: null }]
    const next = await under.write(t =>
      under.projects.create(t, bySystem, sent({ name: 'next', processes }), busy),
    )
    expect(portOf(next)).toBe(8404) // 8402 is the environment's own
  })

  test('a project of workers alone has neither port nor address', async () => {
    const under = await onSqlite()
    const created = await under.create({
      processes: [
        { name: 'mailer', start: ['x'] },
        { name: 'tidy', start: ['x'], timer: { every_s: 60 } },
      ],
    })
    expect(created).toMatchObject({ url: null, processes: [{ port: null, timer: null }, { port: null }] })
  })

  test('one is taken where both would run, and free elsewhere', async () => {
    const machines = [machine('a'), machine('b'), machine('dev', 'development'), machine('any', null)]
    const under = await onSqlite({ machines })
    await under.create({ name: 'on-a', machines: ['a'], port: 9000 })
    await under.create({ name: 'on-b', machines: ['b'], port: 9000 })
    await expect(under.create({ name: 'all', port: 9000 })).rejects.toEqual(fault('port_taken', 'on-a'))
    await under.create({ name: 'dev-1', group: 'development', machines: ['dev'], port: 9000 })
    await under.create({ name: 'everywhere', port: 9001 })
    // Both are on the machine that stands for every group.
    await expect(under.create({ name: 'dev-2', group: 'development', port: 9001 })).rejects.toEqual(
      fault('port_taken', 'everywhere'),
    )
  })

  test('machines and groups that are not there yet count too', async () => {
    const under = await onSqlite({ machines: [] })
    await under.create({ name: 'one', machines: ['later'], port: 9000 })
    await expect(under.create({ name: 'two', machines: ['later'], port: 9000 })).rejects.toEqual(
      fault('port_taken', 'one'),
    )
    await under.create({ name: 'three', port: 9000 })
    await expect(under.create({ name: 'four', port: 9000 })).rejects.toEqual(fault('port_taken', 'three'))
  })

  test('the environment’s own and another program’s are refused, and it is said whose', async () => {
    const under = await onSqlite()
    await expect(under.create({ port: 8300 })).rejects.toEqual(fault('port_taken', 'environment'))
    const busy = new Map([[9000, 'web-1']])
    await expect(
      under.write(t => under.projects.create(t, bySystem, sent({ port: 9000 }), busy)),
    ).rejects.toEqual(fault('port_taken', 'another program on web-1'))
  })
})

describe('a change', () => {
  test('changes what is sent and nothing else, and is told of by its names', async () => {
    const clock = new FakeClock('2026-05-01T00:00:00Z')
    const under = await onSqlite({ clock })
    const { branch: _b, runbook: _r, updated_at: _u, ...before } = await under.create({ runbook: 'old' })
    clock.advance(1000)
    const after = await change(under, 'hello', { branch: 'release', runbook: null })
    expect(after).toEqual({
      ...before,
      branch: 'release',
      runbook: null,
      updated_at: '2026-05-01T00:00:01.000Z',
    })
    expect((await under.facts()).at(-1)).toEqual({
      type: 'project.changed',
      subject: 'project/hello',
      data: { changed: ['branch', 'runbook'] },
    })
  })

  test('that changes nothing is none', async () => {
    const clock = new FakeClock()
    const under = await onSqlite({ clock })
    const before = await under.create()
    clock.advance(1000)
    for (const nothing of [
      {},
      { branch: 'main' },
      { processes: [{ name: 'web', start: ['python', '-m', 'app'] }] },
    ])
      expect(await change(under, 'hello', nothing)).toEqual(before)
    expect(await under.facts()).toHaveLength(1)
  })

  test('of the processes leaves web on its port, unless another is sent', async () => {
    const under = await onSqlite()
    await under.create({ port: 9000 })
    const mailer = { name: 'mailer', start: ['x'] }
    const web = { name: 'web', start: ['y'] }
    expect(portOf(await change(under, 'hello', { processes: [mailer, web] }))).toBe(9000)
    expect(portOf(await change(under, 'hello', { processes: [{ ...web, port: null }] }))).toBe(9000)
    expect(portOf(await change(under, 'hello', { processes: [{ ...web, port: 9001 }] }))).toBe(9001)
    expect((await change(under, 'hello', { processes: [mailer] })).url).toBeNull()
    expect(portOf(await change(under, 'hello', { processes: [web] }))).toBe(8400)
  })

  test('that makes the whole wrong is refused by field', async () => {
    const under = await onSqlite()
    await under.create()
    const web = { name: 'web', start: ['x'] }
    for (const processes of [
      [web, web],
      [web, { name: 'mailer', start: ['x'], port: 9000 }],
      [{ ...web, timer: { at: '03:30' } }],
    ]) {
      await expect(change(under, 'hello', { processes })).rejects.toMatchObject({
        code: 'invalid_fields',
        fields: [{ field: 'processes' }],
      })
    }
  })

  test('cannot take another’s port, nor move where its own is another’s', async () => {
    const under = await onSqlite({ machines: [machine('a'), machine('b')] })
    await under.create({ name: 'one', machines: ['a'], port: 9000 })
    await under.create({ name: 'two', machines: ['b'], port: 9000 })
    await expect(change(under, 'two', { machines: ['a'] })).rejects.toEqual(fault('port_taken', 'one'))
    await change(under, 'two', { processes: [{ name: 'web', start: ['x'], port: 9001 }], machines: ['a'] })
    await expect(
      change(under, 'two', { processes: [{ name: 'web', start: ['x'], port: 9000 }] }),
    ).rejects.toEqual(fault('port_taken', 'one'))
  })

  test('of a node project works as of any other', async () => {
    const under = await onSqlite()
    const created = await under.create({ runtime: 'node', start: ['node', 'app/main.js'] })
    expect(created.paths).toContain('package-lock.json')
    expect((await change(under, 'hello', { branch: 'x' })).runtime).toBe('node')
  })
})

describe('the repository', () => {
  test('keeps its earlier names, each once, and one that comes back is no earlier name', async () => {
    const under = await onSqlite()
    await under.create()
    const rename = async (repository: string) => (await change(under, 'hello', { repository })).aliases
    expect(await rename('acme/Hello')).toEqual([])
    expect(await rename('acme/world')).toEqual(['acme/Hello'])
    expect(await rename('Acme/hello')).toEqual(['acme/world'])
    expect(await rename('acme/third')).toEqual(['acme/world', 'Acme/hello'])
    expect(await rename('acme/WORLD')).toEqual(['Acme/hello', 'acme/third'])
  })

  test('is matched by its name and earlier names, letter case aside, and by nothing else', async () => {
    const under = await onSqlite()
    await under.create()
    await change(under, 'hello', { repository: 'acme/world' })
    const project = (await under.store.read(t => under.projects.find(t, 'hello')))!
    const matches = (text: string) => under.projects.repositoryMatches(project, text)
    for (const text of ['acme/world', 'ACME/World', 'acme/hello', 'Acme/Hello'])
      expect(matches(text)).toBe(true)
    const mixed = fc.mixedCase(fc.constantFrom('acme/world', 'acme/hello'))
    fc.assert(fc.property(mixed, text => matches(text)))
    const near = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map(extra => `acme/hello${extra}`),
    )
    fc.assert(
      fc.property(near, text => matches(text) === ['acme/world', 'acme/hello'].includes(text.toLowerCase())),
    )
  })
})

test('a project is held and resumed, told of once each time', async () => {
  const under = await onSqlite()
  const { projects, write } = under
  await under.create()
  const hold = (reason: string | null) => write(t => projects.hold(t, bySystem, 'hello', reason))
  const resume = () => write(t => projects.resume(t, bySystem, 'hello'))
  expect(await hold('sale')).toMatchObject({ held: true, held_reason: 'sale' })
  await hold('sale')
  expect(await hold('')).toMatchObject({ held: true, held_reason: null })
  expect(await resume()).toMatchObject({ held: false, held_reason: null })
  await resume()
  expect((await under.facts()).slice(1).map(({ type, data }) => [type, data])).toEqual([
    ['project.held', { reason: 'sale' }],
    ['project.held', { reason: null }],
    ['project.resumed', {}],
  ])
  await expect(write(t => projects.hold(t, bySystem, 'never', null))).rejects.toEqual(fault('not_found'))
})

test('an agent is given what it needs, and it is understood', async () => {
  const under = await onSqlite()
  await under.create({ before_restart: ['python', '-m', 'migrate'], linked_paths: ['uploads/'] })
  const project = (await under.store.read(t => under.projects.find(t, 'hello')))!
  const placed = under.projects.placed(project)
  expect(placedProject.strict().parse(placed)).toEqual(placed)
})

test('a project from before a setting was there has its default', async () => {
  const under = await onSqlite()
  const created = await under.create()
  await under.write(async t => {
    const { settings } = await t.selectFrom('project').select('settings').executeTakeFirstOrThrow()
    const { limits: _l, linked_paths: _p, ...older } = JSON.parse(settings)
    await t
      .updateTable('project')
      .set({ settings: JSON.stringify(older) })
      .execute()
  })
  expect(await under.store.read(t => under.projects.read(t, 'hello'))).toEqual(created)
})
