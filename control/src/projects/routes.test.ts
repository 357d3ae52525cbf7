import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { noVariables, project as projectSchema } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bySystem } from '#http'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { fakeAgent, plantRun, projectsUnderTest, serve } from './under-test.ts'

const machines = ['web-1', 'web-2'].map(name => ({ name, address: '127.0.0.1', group: 'production' }))

async function started(options: Parameters<typeof projectsUnderTest>[1] = {}) {
  const under = await projectsUnderTest(sqliteEngine(join(temporaryDirectory(), 'database')), options)
  return { under, ask: await serve(under) }
}

const hello = {
  name: 'hello',
  repository: 'acme/hello',
  git_url: 'https://git.example.com/acme/hello.git',
  runtime: 'python',
  start: ['python', '-m', 'app'],
  port: 9000,
}
const { port: _, ...anyPort } = hello
const unit = { name: 'web', state: 'running', pid: 1, since: null, restarts: 0 } as const
const instance = (sha: string) => ({
  ...{ project: 'hello', sha, proven_sha: sha, port: 9000, variables: null },
  units: [unit],
})

describe('a project', () => {
  test('is added, read, changed, held, resumed, listed and archived', async () => {
    const { ask } = await started()
    const added = await ask('POST', '', hello)
    expect([added.status, projectSchema.parse(added.json)]).toEqual([201, added.json])
    expect((await ask('GET', '/hello')).json).toEqual(added.json)
    expect((await ask('PATCH', '/hello', { runbook: 'r' })).json).toMatchObject({ runbook: 'r' })
    expect((await ask('POST', '/hello/hold', { reason: 'sale' })).json.held_reason).toBe('sale')
    expect((await ask('POST', '/hello/hold')).json).toMatchObject({ held: true, held_reason: null })
    expect((await ask('POST', '/hello/resume')).json.held).toBe(false)
    expect((await ask('GET', '')).json.items).toHaveLength(1)
    expect((await ask('DELETE', '/hello')).status).toBe(204)
    expect((await ask('GET', '')).json).toEqual({ items: [], next_cursor: null })
    for (const [method, path] of [
      ['GET', '/hello'],
      ['PATCH', '/hello'],
      ['DELETE', '/hello'],
      ['POST', '/hello/hold'],
      ['POST', '/hello/resume'],
      ['POST', '/hello/start'],
      ['GET', '/hello/tokens'],
      ['GET', '/hello/log'],
    ] as const) {
      const { status, code } = await ask(method, path, method === 'PATCH' ? {} : undefined)
      expect([method, path, status, code]).toEqual([method, path, 404, 'not_found'])
    }
  })

  test('whatever is sent as a field is taken as it is or refused by its name, and never breaks anything', async () => {
    const { ask } = await started()
    const fields = ['name', 'repository', 'git_url', 'branch', 'group', 'interpreter', 'metrics_path', 'port']
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.jsonValue(),
      fc.constantFrom(
        '../etc',
        '-x',
        '--upload-pack=id',
        'ext::id',
        'a\u0000',
        "'; --",
        '__proto__',
        'a/b\n',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), hostile, async (field, value) => {
        const { status, json } = await ask('POST', '', { ...hello, [field]: value })
        if (status === 201) expect((await ask('DELETE', `/${json.name}`)).status).toBe(204)
        if (status === 422) expect(json.errors[0].field).toBe(field)
        expect([201, 409, 422]).toContain(status)
      }),
      { numRuns: 150 },
    )
  })

  test('with a key is added once, and the same answer is given again, whatever listens by then', async () => {
    const { under, ask } = await started()
    const busy: number[] = []
    const { asked } = await fakeAgent(under, { busy_ports: busy })
    const key = { 'idempotency-key': 'k' }
    const first = await ask('POST', '', hello, key)
    busy.push(9000)
    const second = await ask('POST', '', hello, key)
    expect([second.status, second.json]).toEqual([201, first.json])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(asked).toHaveLength(1)
    expect((await ask('POST', '', { ...hello, name: 'x' }, key)).code).toBe('idempotency_key_reused')
    const both = await Promise.all(
      [1, 2].map(() => ask('POST', '', { ...anyPort, name: 'y' }, { 'idempotency-key': 'l' })),
    )
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    expect(both[0]!.json).toEqual(both[1]!.json)
  })

  test('is seen in a list only by those who may', async () => {
    const { ask } = await started()
    for (const name of ['a', 'b', 'c']) await ask('POST', '', { ...anyPort, name })
    const seen = async (authorization: string, query = '') =>
      (await ask('GET', query, undefined, { authorization })).json.items.map(
        ({ name }: { name: string }) => name,
      )
    expect(await seen('Bearer viewer:b,c')).toEqual(['b', 'c'])
    expect(await seen('Bearer viewer:')).toEqual([])
    const page = (await ask('GET', '?limit=2')).json
    expect(await seen('Bearer viewer', `?limit=2&cursor=${page.next_cursor}`)).toEqual(['c'])
    expect((await ask('GET', '?cursor=Jw')).code).toBe('invalid_fields')
  })
})

describe('a port', () => {
  test('that another program listens on is refused, with the machine’s name', async () => {
    const { under, ask } = await started({ machines })
    await fakeAgent(under, { busy_ports: [] }, 'web-1')
    await fakeAgent(under, { busy_ports: [9000, 8400] }, 'web-2')
    const { status, json } = await ask('POST', '', hello)
    expect([status, json.code, json.detail]).toEqual([
      409,
      'port_taken',
      'Port 9000 is taken: another program on web-2 listens on it.',
    ])
    expect((await ask('POST', '', anyPort)).json.processes[0].port).toBe(8401)
  })

  test.each([
    ['is away', undefined],
    ['cannot tell', { busy_ports: 'It does not know.' }],
    ['talks nonsense', { busy_ports: { 9000: true } }],
  ])('is given by the registry alone while the agent %s', async (_what, answers) => {
    const { under, ask } = await started()
    if (answers) await fakeAgent(under, answers)
    expect((await ask('POST', '', hello)).status).toBe(201)
    expect((await ask('POST', '', { ...hello, name: 'other' })).code).toBe('port_taken')
  })

  test('of the project itself is not another program’s, before and after a change', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    const agent = await fakeAgent(under, { busy_ports: [9000, 9002] })
    agent.say({ type: 'instance', instance: instance('a'.repeat(40)) })
    const web = (port: number) => ({ processes: [{ name: 'web', start: ['x'], port }] })
    await until('it was told', async () => (await ask('GET', '/hello')).json.instances.length === 1)
    expect((await ask('PATCH', '/hello', web(9000))).status).toBe(200)
    expect((await ask('PATCH', '/hello', web(9001))).status).toBe(200)
    // Not deployed since: it still listens where it did.
    expect((await ask('PATCH', '/hello', web(9000))).status).toBe(200)
    expect((await ask('PATCH', '/hello', web(9002))).code).toBe('port_taken')
  })
})

describe('an archived project', () => {
  test('loses its tokens at once and its units on every machine', async () => {
    const { under, ask } = await started({ machines })
    await ask('POST', '', hello)
    await ask('POST', '', { ...anyPort, name: 'other' })
    const own = (await ask('POST', '/hello/tokens', { label: 'ci' })).json.token
    const others = (await ask('POST', '/other/tokens', { label: 'ci' })).json.token
    expect(await under.tokens.find(own)).toMatchObject({ kind: 'deploy', project: 'hello' })
    const agents = [await fakeAgent(under, {}, 'web-1'), await fakeAgent(under, {}, 'web-2')]
    agents[0]!.say({ type: 'instance', instance: instance('a'.repeat(40)) })
    await until('it was told', async () => (await ask('GET', '/hello')).json.instances.length === 1)
    expect((await ask('DELETE', '/hello')).status).toBe(204)
    expect(await under.tokens.find(own)).toBeUndefined()
    expect(await under.tokens.find(others)).toBeDefined()
    for (const { asked } of agents) expect(asked).toEqual([{ what: 'remove', project: 'hello' }])
    const types = (await under.facts()).map(({ type, data }) => [type, data.project])
    expect(types).toContainEqual(['token.revoked', 'hello'])
  })

  test('counts as archived while its machine is away, and its units go when that is back', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    const agent = await fakeAgent(under)
    agent.say({ type: 'instance', instance: instance('a'.repeat(40)) })
    await until('it was told', async () => (await ask('GET', '/hello')).json.instances.length === 1)
    agent.close()
    await until('it is away', () => !under.fleet.isConnected('web-1'))
    expect((await ask('DELETE', '/hello')).status).toBe(204)
    expect(under.log.text()).toContain('The agent on web-1 does not answer.')
    const { asked } = await fakeAgent(under)
    await until('it was removed', () => asked.length === 1)
    expect(asked).toEqual([{ what: 'remove', project: 'hello' }])
  })
})

test('deploy tokens are the project’s own', async () => {
  const { under, ask } = await started()
  await ask('POST', '', hello)
  await ask('POST', '', { ...anyPort, name: 'other' })
  const made = await ask('POST', '/hello/tokens', { label: ' ci ' })
  expect([made.status, made.json.token]).toEqual([201, expect.stringMatching(/^qd_deploy_/)])
  await ask('POST', '/hello/tokens', { label: 'second' })
  const { json } = await ask('GET', '/hello/tokens?limit=1')
  expect(json.items).toMatchObject([{ kind: 'deploy', label: 'second', project: 'hello', revoked_at: null }])
  const next = (await ask('GET', `/hello/tokens?limit=1&cursor=${json.next_cursor}`)).json
  expect([next.items[0].label, next.next_cursor]).toEqual(['ci', null])
  expect((await ask('GET', '/other/tokens')).json.items).toEqual([])
  expect((await ask('POST', '/never/tokens', { label: 'x' })).status).toBe(404)
  const created = (await under.facts()).find(({ type }) => type === 'token.created')
  expect(created?.data).toMatchObject({ kind: 'deploy', label: 'ci', project: 'hello' })
})

describe('units', () => {
  test.each(['start', 'stop', 'restart'])(
    '%s is asked of every machine and answered after it',
    async action => {
      const { under, ask } = await started({ machines })
      await ask('POST', '', hello)
      const agents = [await fakeAgent(under, {}, 'web-1'), await fakeAgent(under, {}, 'web-2')]
      agents[1]!.say({ type: 'instance', instance: instance('b'.repeat(40)) })
      const { status, json } = await ask('POST', `/hello/${action}`)
      expect([status, json.instances]).toMatchObject([200, [{ machine: 'web-2', units: [unit] }]])
      for (const { asked } of agents)
        expect(asked).toMatchObject([{ what: 'act', action, project: { name: 'hello', runtime: 'python' } }])
      const { type, data } = (await under.facts()).findLast(fact => fact.subject === 'project/hello')!
      expect([type, data]).toEqual(['project.acted', { action, machines: ['web-1', 'web-2'] }])
    },
  )

  test('start with the newest variables, and stop without any, or the key to read them', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    const set = { KEY: { value: 'sentinel-1', secret: true } }
    await under.write(transaction =>
      under.variables.change(transaction, bySystem, 'hello', { set, unset: [] }),
    )
    const { asked } = await fakeAgent(under)
    await ask('POST', '/hello/start')
    rmSync(join(under.home, 'secret.key'))
    expect((await ask('POST', '/hello/stop')).status).toBe(200)
    expect((await ask('POST', '/hello/restart')).code).toBe('secret_key_unusable')
    expect(asked).toMatchObject([
      { action: 'start', variables: { values: { KEY: 'sentinel-1' }, secrets: ['KEY'] } },
      { action: 'stop', variables: { id: noVariables, values: {}, secrets: [] } },
    ])
    await ask('DELETE', '/hello')
    const tables = ['variable', 'variable_revision'] as const
    for (const table of tables)
      expect(await under.store.read(inner => inner.selectFrom(table).selectAll().execute())).toEqual([])
  })

  test('are restarted once for one key', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    const { asked } = await fakeAgent(under)
    for (let i = 0; i < 2; i++)
      expect((await ask('POST', '/hello/restart', undefined, { 'idempotency-key': 'k' })).status).toBe(200)
    expect(asked.filter(({ what }) => what === 'act')).toHaveLength(1)
  })

  test('are left alone while a run is running, but not while one waits', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    const { asked } = await fakeAgent(under)
    await plantRun(under, 'hello', 'running')
    expect((await ask('POST', '/hello/restart')).code).toBe('project_busy')
    expect(asked).toEqual([])
    await under.write(t => t.updateTable('run').set({ status: 'queued' }).execute())
    expect((await ask('POST', '/hello/restart')).status).toBe(200)
  })

  test('are not touched on any machine while one of them is away', async () => {
    const { under, ask } = await started({ machines })
    await ask('POST', '', hello)
    const { asked } = await fakeAgent(under, {}, 'web-1')
    const { status, json, headers } = await ask('POST', '/hello/stop')
    expect([status, json.code, json.detail]).toEqual([
      503,
      'machine_unreachable',
      expect.stringContaining('web-2'),
    ])
    expect([headers.get('retry-after'), asked]).toEqual(['5', []])
    await ask('PATCH', '/hello', { machines: ['nowhere'] })
    expect((await ask('POST', '/hello/stop')).json.detail).toContain('no machine')
  })

  test('that cannot be started are an answer, and no deed', async () => {
    const { under, ask } = await started()
    await ask('POST', '', hello)
    await fakeAgent(under, { act: 'hello was never deployed on this machine.' })
    const { status, json } = await ask('POST', '/hello/start')
    expect([status, json.code, json.detail]).toEqual([
      409,
      'unit_failed',
      expect.stringContaining('never deployed'),
    ])
    expect((await under.facts()).map(({ type }) => type)).not.toContain('project.acted')
  })
})

describe('a unit’s log', () => {
  test('is read from the first machine, or the one that is named', async () => {
    const { under, ask } = await started({ machines })
    await ask('POST', '', hello)
    const log = { lines: ['listening'], next: 10 }
    const agents = [
      await fakeAgent(under, { unit_log: log }, 'web-1'),
      await fakeAgent(under, { unit_log: { lines: [], next: 0 } }, 'web-2'),
    ]
    expect((await ask('GET', '/hello/log')).json).toEqual(log)
    expect((await ask('GET', '/hello/log?machine=web-2&lines=5&after=7')).json.next).toBe(0)
    const of = { what: 'unit_log', project: 'hello', process: 'web' }
    expect(agents[0]!.asked).toEqual([{ ...of, lines: 200, after: null }])
    expect(agents[1]!.asked).toEqual([{ ...of, lines: 5, after: 7 }])
  })

  test.each(['process=mailer', 'machine=web-9', 'process=../x', 'lines=-1', 'lines=99999', 'after=x'])(
    'is refused with %s',
    async query => {
      const { under, ask } = await started()
      await ask('POST', '', hello)
      const { asked } = await fakeAgent(under)
      const { status, json } = await ask('GET', `/hello/log?${query}`)
      expect([status, json.errors[0].field, asked]).toEqual([422, query.split('=')[0], []])
    },
  )

  test('of a machine that is away says so', async () => {
    const { ask } = await started()
    await ask('POST', '', hello)
    expect((await ask('GET', '/hello/log')).code).toBe('machine_unreachable')
  })
})

describe('units that are there already', () => {
  const adopted = {
    work: '/srv/hello',
    environment: '/srv/hello/venv',
    user: 'hello',
    units: { web: 'hello.service' },
  }
  const found = {
    unit: 'hello.service',
    description: 'Hello',
    state: 'active',
    user: 'hello',
    start: ['/srv/hello/venv/bin/python', '-m', 'app'],
    work: '/srv/hello',
    git_url: 'https://git.example.com/acme/hello.git',
    branch: 'main',
    sha: 'a'.repeat(40),
    runtime: 'python',
    environment: '/srv/hello/venv',
    interpreter: '/usr/bin/python3',
    port: 9000,
    obstacles: [],
  }

  test('are listed with their machine, of those that are connected', async () => {
    const { under, ask } = await started({ machines })
    await fakeAgent(under, { candidates: [found] })
    const { json } = await ask('GET', '/api/candidates')
    expect(json).toEqual({ items: [{ machine: 'web-1', ...found }], next_cursor: null })
    expect(await ask('GET', '/api/candidates?machine=web-2')).toMatchObject({ code: 'machine_unreachable' })
    expect(await ask('GET', '/api/candidates?machine=none')).toMatchObject({ code: 'invalid_fields' })
  })

  test('are adopted before the project is there, though something listens on the port', async () => {
    const { under, ask } = await started({ machines })
    const { asked } = await fakeAgent(under, { busy_ports: [9000] })
    const { status, json } = await ask('POST', '', { ...hello, machines: ['web-1'], adopted })
    expect([status, json.adopted]).toEqual([201, adopted])
    expect(asked).toMatchObject([{ what: 'adopt', project: { name: 'hello', adopted } }])
  })

  test('that cannot be adopted leave no project behind', async () => {
    const { under, ask } = await started({ machines })
    await fakeAgent(under, { adopt: 'hello.service is failed.' })
    expect(await ask('POST', '', { ...hello, machines: ['web-1'], adopted })).toMatchObject({
      status: 422,
      code: 'not_adoptable',
      json: { detail: 'hello.service is failed.' },
    })
    expect((await ask('GET', '/hello')).status).toBe(404)
  })

  test('are left alone when the registry would refuse the project', async () => {
    const { under, ask } = await started({ machines })
    const { asked } = await fakeAgent(under)
    await ask('POST', '', { ...anyPort, machines: ['web-1'] })
    asked.length = 0
    const again = await ask('POST', '', { ...hello, machines: ['web-1'], adopted })
    expect([again.code, asked]).toEqual(['project_exists', []])
  })
})
