import { createHash, randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { operations, type Role, roles } from '@quarterdeck/contract'
import { describe, expect, test } from 'vitest'
import { Store } from '#store'
import { admit, admitted } from './access.ts'
import { sqliteEngine } from './store/engines/sqlite/index.ts'
import { type ControlUnderTest, controlUnderTest } from './under-test.ts'

/** The table again, by hand, so that a slip in it does not pass unseen. */
const everyone = ['nobody', 'deploy', 'viewer', 'deployer', 'operator']
const viewers = ['viewer', 'deployer', 'operator']
const runReaders = ['deploy', 'viewer', 'deployer', 'operator']
const deployers = ['deployer', 'operator']
const machines = ['loopback', 'deployer', 'operator']
const expected: Record<string, string[]> = {
  'admin GET /api/openapi.json': everyone,
  'admin GET /api/session': everyone,
  'admin GET /api/readiness': viewers,
  'admin GET /api/events': viewers,
  'admin GET /api/audit': ['operator'],
  'admin GET /api/tokens': ['operator'],
  'admin POST /api/tokens': ['operator'],
  'admin DELETE /api/tokens/{id}': ['operator'],
  'admin POST /api/tokens/{id}/rotate': ['operator'],
  'admin POST /api/deploy/{name}': ['deploy', 'deployer', 'operator'],
  'admin POST /api/hooks/{name}': everyone,
  'admin GET /api/projects/{name}/forge': viewers,
  'admin POST /api/projects/{name}/forge/hook': ['operator'],
  'admin DELETE /api/projects/{name}/forge/hook': ['operator'],
  'admin PUT /api/projects/{name}/forge/statuses': ['operator'],
  'admin DELETE /api/projects/{name}/forge/statuses': ['operator'],
  'admin GET /api/candidates': ['operator'],
  'admin POST /api/apply': ['operator'],
  'admin GET /api/services': viewers,
  'admin POST /api/services': ['operator'],
  'admin GET /api/services/{id}': viewers,
  'admin PATCH /api/services/{id}': ['operator'],
  'admin DELETE /api/services/{id}': ['operator'],
  'admin POST /api/services/{id}/look': ['operator'],
  'admin GET /api/projects': viewers,
  'admin POST /api/projects': ['operator'],
  'admin GET /api/projects/{name}': viewers,
  'admin PATCH /api/projects/{name}': ['operator'],
  'admin DELETE /api/projects/{name}': ['operator'],
  'admin GET /api/projects/{name}/tokens': ['operator'],
  'admin POST /api/projects/{name}/tokens': ['operator'],
  'admin GET /api/projects/{name}/variables': viewers,
  'admin PATCH /api/projects/{name}/variables': ['operator'],
  'admin GET /api/projects/{name}/variables/revisions': viewers,
  'admin POST /api/projects/{name}/variables/restore': ['operator'],
  'admin GET /api/projects/{name}/access': viewers,
  'admin POST /api/projects/{name}/access/key': ['operator'],
  'admin DELETE /api/projects/{name}/access/key': ['operator'],
  'admin GET /api/projects/{name}/access/host-keys': ['operator'],
  'admin PUT /api/projects/{name}/access/host-keys': ['operator'],
  'admin PUT /api/projects/{name}/access/token': ['operator'],
  'admin DELETE /api/projects/{name}/access/token': ['operator'],
  'admin GET /api/projects/{name}/runs': runReaders,
  'admin POST /api/projects/{name}/runs': deployers,
  'admin POST /api/projects/{name}/rollback': deployers,
  'admin POST /api/projects/{name}/hold': deployers,
  'admin POST /api/projects/{name}/resume': deployers,
  'admin POST /api/projects/{name}/start': deployers,
  'admin POST /api/projects/{name}/stop': deployers,
  'admin POST /api/projects/{name}/restart': deployers,
  'admin GET /api/projects/{name}/log': viewers,
  'status GET /status.json': everyone,
  'status GET /services/{id}.json': everyone,
  'admin GET /api/runs': viewers,
  'admin GET /api/runs/{id}': runReaders,
  'admin GET /api/runs/{id}/log': runReaders,
  'admin POST /api/runs/{id}/rerun': deployers,
  'admin GET /api/incidents': viewers,
  'admin POST /api/incidents': deployers,
  'admin GET /api/incidents/{id}': viewers,
  'admin PATCH /api/incidents/{id}': deployers,
  'admin POST /api/incidents/{id}/updates': deployers,
  'admin DELETE /api/incidents/{id}': ['operator'],
  'admin GET /api/incident-templates': viewers,
  'admin PUT /api/incident-templates/{name}': deployers,
  'admin DELETE /api/incident-templates/{name}': deployers,
  'admin GET /api/maintenances': viewers,
  'admin POST /api/maintenances': deployers,
  'admin GET /api/maintenances/{id}': viewers,
  'admin PATCH /api/maintenances/{id}': deployers,
  'admin POST /api/maintenances/{id}/updates': deployers,
  'admin DELETE /api/maintenances/{id}': deployers,
  'admin POST /api/runs/{id}/cancel': deployers,
  'admin POST /api/v2/alerts': machines,
  'admin POST /api/alerts/alertmanager': machines,
  'admin GET /api/alerts': viewers,
  'admin GET /api/alerts/{id}': viewers,
  'admin POST /api/alerts/{id}/acknowledge': deployers,
  'admin POST /api/alerts/{id}/end': deployers,
  'admin GET /api/silences': viewers,
  'admin POST /api/silences': deployers,
  'admin DELETE /api/silences/{id}': deployers,
  'admin GET /api/channels': viewers,
  'admin POST /api/channels': ['operator'],
  'admin GET /api/channels/{id}': viewers,
  'admin PUT /api/channels/{id}': ['operator'],
  'admin DELETE /api/channels/{id}': ['operator'],
  'admin POST /api/channels/{id}/test': ['operator'],
  'admin POST /api/channels/{id}/updates': everyone,
  'admin GET /api/heartbeats': viewers,
  'admin POST /api/heartbeats/{name}': machines,
  'admin PUT /api/heartbeats/{name}': ['operator'],
  'admin DELETE /api/heartbeats/{name}': ['operator'],
}
for (const host of ['admin', 'status', 'docs', 'auth', 'metrics']) {
  for (const path of ['/healthz', '/readyz', '/version', '/metrics', '/']) {
    expected[`${host} GET ${path}`] = everyone
  }
}
const ofDocs = [
  '/index.json',
  '/search',
  '/search.json',
  '/llms.txt',
  '/llms-full.txt',
  '/sitemap.xml',
  '/feed.atom',
  '/*',
]
for (const path of ofDocs) expected[`docs GET ${path}`] = everyone
const statusPaths = [
  ...[
    '/status.json',
    '/services/{id}.json',
    '/events',
    '/api/v2/summary.json',
    '/api/v2/status.json',
    '/feed.atom',
  ],
  ...[
    '/badge/{id}.svg',
    '/status.schema.json',
    '/services/{id}',
    '/incidents/{id}',
    '/history',
    '/history/{month}',
  ],
  '/assets/{file}.js',
]
for (const path of statusPaths) expected[`status GET ${path}`] = everyone
expected['metrics GET /'] = ['loopback', 'operator']
expected['metrics GET /metrics'] = ['loopback', 'operator']
for (const route of [
  ...['POST /-/reload', 'PUT /-/reload', 'GET /-/healthy', 'GET /-/ready', 'GET /services/{id}/metrics'],
  ...['GET /api/v1/targets', 'GET /api/v1/rules', 'GET /api/v1/alerts'],
  ...['GET /api/v1/query', 'POST /api/v1/query'],
])
  expected[`metrics ${route}`] = ['loopback', 'operator']

test('the table admits exactly whom it should to every route that there is', async () => {
  const { control } = await controlUnderTest()
  const routes = control.hosts.flatMap(({ name, routes }) =>
    routes.map(({ method, path }) => `${name} ${method} ${path}`),
  )
  const served = routes.filter(route => !route.includes(' HEAD '))
  expect(served.sort()).toEqual(Object.keys(expected).sort())
  for (const route of routes) {
    const [host = '', method = '', path = ''] = route.split(' ')
    expect([route, admitted(host, method, path)]).toEqual([route, expected[route.replace(' HEAD ', ' GET ')]])
  }
})

test('what the table does not know is denied', () => {
  expect(admitted('admin', 'GET', '/api/unheard-of')).toBeUndefined()
  expect(admitted('status', 'GET', '/api/tokens')).toBeUndefined()
  expect(() => admit([], 'operator', true)).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test('for every list and role: admitted, or refused as one who should sign in, or as one who may not', () => {
  for (const who of Object.values(expected)) {
    for (const role of roles) {
      const outcome = () => admit(who as Role[], role, false)
      if (who.includes(role)) expect(outcome).not.toThrow()
      else
        expect(outcome).toThrow(
          expect.objectContaining({ code: role === 'nobody' ? 'unauthenticated' : 'forbidden' }),
        )
    }
  }
})

const secret = (kind: string) => `qd_${kind}_${'x'.repeat(42)}1`

/** Tokens of every kind, good and bad, put into the database as later parts of the product will. */
async function plantTokens({ config }: ControlUnderTest): Promise<Record<string, string>> {
  const row = (kind: string, token: string, change = {}) => ({
    id: randomUUIDv7(),
    kind,
    hash: createHash('sha256').update(token).digest('hex'),
    label: kind,
    project: kind === 'deploy' ? 'hello' : null,
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    ...change,
  })
  const expired = `qd_operator_${'e'.repeat(43)}`
  const revoked = `qd_operator_${'r'.repeat(43)}`
  const store = await Store.open(sqliteEngine(join(config.home, 'database.sqlite')))
  await store.write(transaction =>
    transaction
      .insertInto('token')
      .values([
        row('deploy', secret('deploy')),
        row('join', secret('join')),
        row('machine', secret('machine')),
        row('operator', expired, { expires_at: '2026-01-02T00:00:00.000Z' }),
        row('operator', revoked, { revoked_at: '2026-01-02T00:00:00.000Z' }),
      ])
      .execute(),
  )
  await store.close()
  return { deploy: secret('deploy'), join: secret('join'), machine: secret('machine'), expired, revoked }
}

/** A stream, and what goes by its signature: they have tests of their own. */
const untried = new Set<string>([
  operations.followEvents.path,
  operations.receiveHook.path,
  operations.receiveChat.path,
  '/events',
])

/** Done, or refused for what was asked and no longer for who asks. */
const afterAdmission = [200, 201, 202, 204, 302, 400, 404, 409, 415, 422, 503]

describe('over HTTP, every route of every host', () => {
  test('answers each kind of caller as the table says', async () => {
    const underTest = await controlUnderTest({
      limits: { ...(await defaults()).limits, bad_tokens_per_minute: 10_000 },
      handbook: { ...(await defaults()).handbook, manual: false },
    })
    const tokens = await plantTokens(underTest)
    const callers: [string, Role | 'bad', string | undefined][] = [
      ['nobody', 'nobody', undefined],
      ['a deploy token', 'deploy', tokens.deploy],
      ['the operator', 'operator', underTest.token],
      ['an expired token', 'bad', tokens.expired],
      ['a revoked token', 'bad', tokens.revoked],
      ['a join token', 'bad', tokens.join],
      ['a machine token', 'bad', tokens.machine],
      ['an unknown token', 'bad', `qd_operator_${'u'.repeat(43)}`],
      ['garbage', 'bad', 'hunter2'],
    ]
    const hello = {
      name: 'hello',
      repository: 'acme/hello',
      git_url: '/nowhere',
      runtime: 'python',
      start: ['x'],
    }
    await underTest.ask('admin', '/api/projects', { method: 'POST', token: underTest.token, body: hello })
    let asked = 0
    for (const [route, who] of Object.entries(expected)) {
      const [host = '', method = '', template = ''] = route.split(' ')
      if (untried.has(template)) continue
      for (const [caller, role, token] of callers) {
        // An archived one would take its token along.
        const name = method === 'DELETE' ? 'never' : 'hello'
        const path = template.replace('{id}', randomUUIDv7()).replace('{name}', name)
        const { status } = await underTest.ask(host, path, {
          method,
          ...(token !== undefined && { token }),
          ...((method === 'POST' || method === 'PATCH') && { body: { label: 'x' } }),
        })
        const checked = (host === 'admin' && template.startsWith('/api/')) || !who.includes('nobody')
        const wanted =
          role === 'bad' ? (checked ? 401 : 200) : who.includes(role) ? 200 : role === 'nobody' ? 401 : 403
        expect([route, caller, afterAdmission.includes(status) ? 200 : status]).toEqual([
          route,
          caller,
          wanted,
        ])
        asked++
      }
    }
    expect(asked).toBe((Object.keys(expected).length - untried.size) * callers.length)
  })

  test('a deploy token reaches nothing of another project, whether there is one or not', async () => {
    const underTest = await controlUnderTest()
    const { deploy = '' } = await plantTokens(underTest)
    const body = {
      name: 'other',
      repository: 'acme/other',
      git_url: 'https://git.example.com/acme/other.git',
      runtime: 'python',
      start: ['python', '-m', 'app'],
    }
    const made = await underTest.ask('admin', '/api/projects', {
      method: 'POST',
      token: underTest.token,
      body,
    })
    expect(made.status).toBe(201)
    const named = Object.keys(expected).filter(route => route.includes('{name}'))
    for (const route of named) {
      const [, method = '', template = ''] = route.split(' ')
      const answers = await Promise.all(
        ['other', 'never', 'HELLO', 'hello%2f..', '%2e%2e'].map(name =>
          underTest.ask('admin', template.replace('{name}', name), { method, token: deploy }),
        ),
      )
      expect([route, ...answers.map(({ status }) => status)]).toEqual([route, 403, 403, 403, 403, 403])
    }
  })

  test('the metrics host is open to the machine itself', async () => {
    const { ask } = await controlUnderTest()
    expect((await ask('metrics', '/metrics', { from: '127.0.0.1' })).status).toBe(200)
    expect((await ask('metrics', '/metrics', { from: '::1' })).status).toBe(200)
    expect((await ask('metrics', '/metrics', { from: '203.0.113.9' })).status).toBe(401)
    expect((await ask('metrics', '/metrics', { from: '127.0.0.1.example.com' })).status).toBe(401)
  })
})

const defaults = async () => (await import('./config.ts')).loadConfig({ home: '/nowhere' })
