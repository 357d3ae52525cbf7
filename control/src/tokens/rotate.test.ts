import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Events } from '#events'
import { bySystem } from '#http'
import { Store } from '#store'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { Tokens } from './tokens.ts'

const hourMs = 3_600_000

async function opened() {
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const store = await Store.open(sqliteEngine(join(temporaryDirectory(), 'database')), { clock })
  onTestFinished(() => store.close())
  const events = new Events(store, clock)
  const tokens = new Tokens(store, events, clock)
  return {
    clock,
    store,
    events,
    tokens,
    make: (expires_at?: string) =>
      store.write(t =>
        tokens.create(t, bySystem, 'deploy', { label: 'ci', ...(expires_at && { expires_at }) }, 'hello'),
      ),
    rotate: (id: string, overlap_s: number, expires_at?: string) =>
      store.write(t => tokens.rotate(t, bySystem, id, { overlap_s, ...(expires_at && { expires_at }) })),
    revoke: (id: string) => store.write(t => tokens.revoke(t, bySystem, id)),
    counts: async (token: string) => (await tokens.find(token)) !== undefined,
  }
}

test('a successor is alike, and both count until the overlap ends', async () => {
  const { tokens, events, clock, make, rotate, counts } = await opened()
  const old = await make()
  const successor = await rotate(old.id, 3600)
  expect(successor).toMatchObject({ label: 'ci', expires_at: null })
  expect(await tokens.find(successor.token)).toMatchObject({ kind: 'deploy', label: 'ci', project: 'hello' })
  clock.advance(hourMs - 1)
  expect([await counts(old.token), await counts(successor.token)]).toEqual([true, true])
  clock.advance(1)
  expect([await counts(old.token), await counts(successor.token)]).toEqual([false, true])
  expect((await events.after(0)).at(-1)).toMatchObject({
    type: 'token.rotated',
    subject: `token/${old.id}`,
    data: {
      kind: 'deploy',
      project: 'hello',
      successor: successor.id,
      expires_at: '2026-05-01T01:00:00.000Z',
    },
  })
})

test('without an overlap the old one ends at once, although it was in use', async () => {
  const { make, rotate, counts } = await opened()
  const old = await make()
  expect(await counts(old.token)).toBe(true)
  await rotate(old.id, 0)
  expect(await counts(old.token)).toBe(false)
})

test('an overlap never lets a token live longer than it would have', async () => {
  const { clock, make, rotate, counts } = await opened()
  const old = await make('2026-05-01T00:30:00Z')
  const successor = await rotate(old.id, 3600, '2026-05-01T02:00:00Z')
  clock.advance(hourMs / 2)
  expect([await counts(old.token), await counts(successor.token)]).toEqual([false, true])
  clock.advance(1.5 * hourMs)
  expect(await counts(successor.token)).toBe(false)
})

test('what no longer counts has no successor, and a successor’s end lies in the future', async () => {
  const { clock, make, rotate, revoke } = await opened()
  const [expiring, revoked, good] = [await make('2026-05-01T00:30:00Z'), await make(), await make()]
  await revoke(revoked.id)
  clock.advance(hourMs)
  for (const { id } of [expiring, revoked, { id: '019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70' }])
    await expect(rotate(id, 60)).rejects.toMatchObject({ code: 'not_found' })
  await expect(rotate(good.id, 60, '2026-05-01T00:30:00Z')).rejects.toMatchObject({ code: 'invalid_fields' })
})

test('a revoked token is refused at once, however often it was asked for meanwhile', async () => {
  const { make, revoke, counts } = await opened()
  for (let round = 0; round < 20; round++) {
    const { id, token } = await make()
    const asking = Array.from({ length: 10 }, () => counts(token))
    const revoking = revoke(id)
    asking.push(...Array.from({ length: 10 }, () => counts(token)))
    await revoking
    expect(await counts(token)).toBe(false)
    await Promise.all(asking)
    expect(await counts(token)).toBe(false)
  }
})

test('finding the same token again asks the database nothing', async () => {
  const { store, make, counts } = await opened()
  const { token } = await make()
  await counts(token)
  const read = vi.spyOn(store, 'read')
  for (let i = 0; i < 100; i++) expect(await counts(token)).toBe(true)
  expect(read).not.toHaveBeenCalled()
})

test('over HTTP the body may be left out, and the old token counts for a day', async () => {
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const { ask, token } = await controlUnderTest({}, clock)
  const post = { method: 'POST', token }
  const { json: old } = await ask('admin', '/api/tokens', { ...post, body: { label: 'Ana' } })
  const { status, json: successor } = await ask('admin', `/api/tokens/${old.id}/rotate`, post)
  expect([status, successor.label]).toEqual([201, 'Ana'])
  clock.advance(24 * hourMs - 1)
  const role = async (secret: string) => (await ask('admin', '/api/session', { token: secret })).json.role
  expect([await role(old.token), await role(successor.token)]).toEqual(['operator', 'operator'])
  clock.advance(1)
  expect([await role(old.token), await role(successor.token)]).toEqual([undefined, 'operator'])
})

test.each([{ overlap_s: -1 }, { overlap_s: 1e9 }, { overlap_s: 'long' }, { expires_at: 'soon' }])(
  'over HTTP %j is refused',
  async body => {
    const { ask, token } = await controlUnderTest()
    const { json: old } = await ask('admin', '/api/tokens', { method: 'POST', token, body: { label: 'Ana' } })
    const { status } = await ask('admin', `/api/tokens/${old.id}/rotate`, { method: 'POST', token, body })
    expect(status).toBe(422)
  },
)
