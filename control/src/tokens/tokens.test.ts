import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenPattern } from '@quarterdeck/contract'
import { FakeClock, temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'

test('the first start writes the operator’s token, for the owner alone', async () => {
  const { config, token, ask } = await controlUnderTest()
  expect(token).toMatch(tokenPattern)
  expect(statSync(join(config.home, 'operator.token')).mode & 0o777).toBe(0o600)
  expect((await ask('admin', '/api/session', { token })).json).toMatchObject({
    role: 'operator',
    projects: null,
  })
})

test('the next start keeps it; without the file a new one is made and the old one revoked', async () => {
  const home = temporaryDirectory()
  const first = await controlUnderTest({ home })
  await first.control.stop()
  const second = await controlUnderTest({ home })
  expect(second.token).toBe(first.token)
  await second.control.stop()
  rmSync(join(home, 'operator.token'))
  const third = await controlUnderTest({ home })
  expect(third.token).not.toBe(first.token)
  expect((await third.ask('admin', '/api/session', { token: third.token })).status).toBe(200)
  expect((await third.ask('admin', '/api/session', { token: first.token })).status).toBe(401)
})

test('a file that was tampered with does not become a token', async () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'operator.token'), `qd_operator_${'a'.repeat(43)}\n`)
  const { token, ask } = await controlUnderTest({ home })
  expect(token).not.toContain('aaaa')
  expect((await ask('admin', '/api/session', { token })).status).toBe(200)
})

test('a token is shown once, works until it is revoked, and revoking is final and repeatable', async () => {
  const { ask, token } = await controlUnderTest()
  const { status, json: made } = await ask('admin', '/api/tokens', {
    method: 'POST',
    token,
    body: { label: ' Ana ' },
  })
  expect([status, made.label]).toEqual([201, 'Ana'])
  expect((await ask('admin', '/api/session', { token: made.token })).json.name).toBe('Ana')
  expect((await ask('admin', '/api/tokens', { token })).text).not.toContain(made.token)
  for (let i = 0; i < 2; i++) {
    expect((await ask('admin', `/api/tokens/${made.id}`, { method: 'DELETE', token })).status).toBe(204)
  }
  expect((await ask('admin', '/api/session', { token: made.token })).status).toBe(401)
})

test('a token ends when it expires', async () => {
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const { ask, token } = await controlUnderTest({}, clock)
  const body = { label: 'for a day', expires_at: '2026-05-02T00:00:00Z' }
  const { json } = await ask('admin', '/api/tokens', { method: 'POST', token, body })
  expect((await ask('admin', '/api/session', { token: json.token })).status).toBe(200)
  clock.advance(24 * 3600 * 1000)
  expect((await ask('admin', '/api/session', { token: json.token })).status).toBe(401)
})

test('when a token was last used is kept to the minute', async () => {
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const { ask, token } = await controlUnderTest({}, clock)
  const lastUsed = async () => (await ask('admin', '/api/tokens', { token })).json.items[0].last_used_at
  await until('the use was noted', async () => (await lastUsed()) === '2026-05-01T00:00:00.000Z')
  clock.advance(59_999)
  await lastUsed()
  expect(await lastUsed()).toBe('2026-05-01T00:00:00.000Z')
  clock.advance(1)
  await until('the later use was noted', async () => (await lastUsed()) === '2026-05-01T00:01:00.000Z')
})

test('a list comes in pages, newest first, each item once', async () => {
  const { ask, token } = await controlUnderTest()
  for (let i = 0; i < 6; i++)
    await ask('admin', '/api/tokens', { method: 'POST', token, body: { label: `t${i}` } })
  const labels: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { json } = await ask('admin', `/api/tokens?limit=3${cursor && `&cursor=${cursor}`}`, { token })
    expect(json.items.length).toBeLessThanOrEqual(3)
    labels.push(...json.items.map((item: { label: string }) => item.label))
    cursor = json.next_cursor
  }
  expect(labels.slice(0, 6)).toEqual(['t5', 't4', 't3', 't2', 't1', 't0'])
  expect(labels).toHaveLength(7)
})

test.each(['cursor=garbage', 'cursor=JyBPUiAxPTE', 'limit=0', 'limit=1000', 'limit=x'])(
  'a list refuses %s',
  async query => {
    const { ask, token } = await controlUnderTest()
    const { status, json } = await ask('admin', `/api/tokens?${query}`, { token })
    expect([status, json.code]).toEqual([422, 'invalid_fields'])
  },
)

test('no token is ever written to disk but the operator’s own file', async () => {
  const { ask, token, config, log, control } = await controlUnderTest()
  const headers = { 'idempotency-key': 'k' }
  const { json } = await ask('admin', '/api/tokens', { method: 'POST', token, headers, body: { label: 'x' } })
  await control.stop()
  for (const file of ['database.sqlite']) {
    const bytes = readFileSync(join(config.home, file), 'latin1')
    expect(bytes).not.toContain(json.token)
    expect(bytes).not.toContain(token)
  }
  expect(log.text()).not.toContain(json.token)
})
