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
const expected: Record<string, string[]> = {
  'admin GET /api/openapi.json': everyone,
  'admin GET /api/session': everyone,
  'admin GET /api/readiness': viewers,
  'admin GET /api/events': viewers,
  'admin GET /api/audit': ['operator'],
  'admin GET /api/tokens': ['operator'],
  'admin POST /api/tokens': ['operator'],
  'admin DELETE /api/tokens/{id}': ['operator'],
}
for (const host of ['admin', 'status', 'docs', 'auth', 'metrics']) {
  for (const path of ['/healthz', '/readyz', '/version', '/metrics', '/']) {
    expected[`${host} GET ${path}`] = everyone
  }
}
expected['metrics GET /'] = ['loopback', 'operator']
expected['metrics GET /metrics'] = ['loopback', 'operator']

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

describe('over HTTP, every route of every host', () => {
  test('answers each kind of caller as the table says', async () => {
    const underTest = await controlUnderTest({
      limits: { ...(await defaults()).limits, bad_tokens_per_minute: 10_000 },
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
    let asked = 0
    for (const [route, who] of Object.entries(expected)) {
      const [host = '', method = '', template = ''] = route.split(' ')
      if (template === operations.followEvents.path) continue // a stream: has a test of its own
      for (const [caller, role, token] of callers) {
        const path = template.replace('{id}', randomUUIDv7())
        const { status } = await underTest.ask(host, path, {
          method,
          ...(token !== undefined && { token }),
          ...(method === 'POST' && { body: { label: 'x' } }),
        })
        const checked = template.startsWith('/api/') || !who.includes('nobody')
        const refusal =
          role === 'bad' ? (checked ? 401 : 200) : who.includes(role) ? 200 : role === 'nobody' ? 401 : 403
        const success = status === 404 && template.includes('{id}') ? 200 : status === 201 ? 200 : status
        expect([route, caller, success]).toEqual([route, caller, refusal])
        asked++
      }
    }
    expect(asked).toBe((Object.keys(expected).length - 1) * callers.length)
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
