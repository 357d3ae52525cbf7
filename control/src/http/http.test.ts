import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FakeClock } from '@quarterdeck/testing'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { controlUnderTest } from '../under-test.ts'

const { limits } = loadConfig({ home: '/nowhere' })

describe('a bad request gets the catalogue’s answer', () => {
  test.each([
    ['JSON that is cut off', { body: '{"label":' }, 400, 'invalid_json'],
    ['an empty body', { body: '' }, 400, 'invalid_json'],
    [
      'a body that tries to change prototypes',
      { body: '{"__proto__":{"x":1},"label":"a"}' },
      400,
      'invalid_json',
    ],
    [
      'a body that is not JSON by its type',
      { body: 'label=a', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    [
      'a form',
      { body: 'label=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
    ],
    ['a body over the limit', { body: { label: 'x'.repeat(limits.body_bytes) } }, 413, 'body_too_large'],
    ['a missing field', { body: {} }, 422, 'invalid_fields'],
    ['a field of the wrong type', { body: { label: 7 } }, 422, 'invalid_fields'],
    ['no object', { body: '[]' }, 422, 'invalid_fields'],
    ['control characters', { body: { label: 'a\u0000b' } }, 422, 'invalid_fields'],
    [
      'a time in the past',
      { body: { label: 'a', expires_at: '2001-01-01T00:00:00Z' } },
      422,
      'invalid_fields',
    ],
    [
      'a malformed Idempotency-Key',
      { body: { label: 'a' }, headers: { 'idempotency-key': 'ü' } },
      422,
      'invalid_fields',
    ],
  ])('%s', async (_what, asking, status, code) => {
    const { ask, token } = await controlUnderTest()
    const reply = await ask('admin', '/api/tokens', { method: 'POST', token, ...asking })
    expect([reply.status, reply.json.code]).toEqual([status, code])
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(reply.json).toMatchObject({
      status,
      request_id: 'test-request',
      type: expect.stringMatching(/\/errors\//),
    })
  })

  test('a body far over the limit is answered, not cut off', async () => {
    const { ask, token } = await controlUnderTest()
    const body = 'x'.repeat(8 * limits.body_bytes)
    const { status, headers } = await ask('admin', '/api/tokens', { method: 'POST', token, body })
    expect([status, headers.connection]).toEqual([413, 'keep-alive'])
  })

  test('each wrong field is named with what is expected of it', async () => {
    const { ask, token } = await controlUnderTest()
    const { json } = await ask('admin', '/api/tokens', {
      method: 'POST',
      token,
      body: { label: '', expires_at: 'soon' },
    })
    expect(json.errors).toEqual([
      { field: 'label', message: 'must not be empty' },
      { field: 'expires_at', message: expect.stringContaining('datetime') },
    ])
  })

  test.each([
    ['GET', '/api/unheard-of', 404, 'not_found'],
    ['GET', '/api/tokens/%zz', 400, 'malformed_request'],
    ['PUT', '/api/tokens', 405, 'method_not_allowed'],
    ['PATCH', '/api/tokens/0199', 405, 'method_not_allowed'],
    ['POST', '/healthz', 405, 'method_not_allowed'],
    ['GET', '/../../etc/passwd', 404, 'not_found'],
    ['GET', `/${'a'.repeat(5000)}`, 404, 'not_found'],
  ])('%s %s', async (method, path, status, code) => {
    const { ask, token } = await controlUnderTest()
    const reply = await ask('admin', path, { method, token })
    expect([reply.status, reply.json.code]).toEqual([status, code])
    if (status === 405) expect(reply.headers.allow).toMatch(/GET|DELETE/)
  })

  test('people see a page, except of the API', async () => {
    const { ask } = await controlUnderTest()
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const page = await ask('auth', '/<script>', { headers })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.text).toContain('There is nothing at /&lt;script&gt;')
    const run = await ask('admin', '/runs/0199', { headers })
    expect([run.status, run.text]).toEqual([404, expect.stringContaining('tells of it at /api/runs/0199')])
    expect((await ask('admin', '/api/tokens', { headers })).headers['content-type']).toContain('problem+json')
  })

  test('an error of ours says nothing of the inside, and the log has it under the same id', async () => {
    const { ask, token, config, log } = await controlUnderTest()
    const database = new DatabaseSync(join(config.home, 'database.sqlite'))
    database.exec('DROP TABLE audit_entry')
    database.close()
    const reply = await ask('admin', '/api/audit', { token })
    expect(reply.status).toBe(500)
    expect(reply.json).toMatchObject({ code: 'internal', request_id: 'test-request' })
    expect(reply.text).not.toMatch(/sqlite|table|\.ts|\bat \//i)
    expect(log.lines.find(line => line.level === 50 && line.request_id)).toMatchObject({
      request_id: 'test-request',
      err: { stack: expect.any(String) },
    })
  })
})

test('every answer but a probe’s carries the security headers and its request id', async () => {
  const { ask } = await controlUnderTest()
  for (const path of ['/', '/api/session', '/nowhere']) {
    const { headers } = await ask('admin', path)
    expect(headers).toMatchObject({ 'x-request-id': 'test-request', 'x-content-type-options': 'nosniff' })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['x-frame-options']).toBe('DENY')
    expect(headers['strict-transport-security']).toBeUndefined()
  }
})

test('where the hosts are reached by https, browsers are told to stay with it', async () => {
  const { ask } = await controlUnderTest({ domain: 'example.com' })
  expect((await ask('admin', '/')).headers['strict-transport-security']).toBe('max-age=31536000')
})

describe('tokens come', () => {
  test('only over TLS or from the machine itself, when the domain is a real one', async () => {
    const { ask, token } = await controlUnderTest({ domain: 'example.com' })
    const session = { token, scheme: 'http' as const }
    expect((await ask('admin', '/api/session', session)).json.code).toBe('tls_required')
    expect((await ask('admin', '/api/session', { ...session, from: '127.0.0.1' })).status).toBe(200)
    expect((await ask('admin', '/api/session', { ...session, scheme: 'https' })).status).toBe(200)
  })

  test('and after too many bad ones from an address, none from there is looked at for a while', async () => {
    const clock = new FakeClock(new Date().toISOString())
    const { ask, token } = await controlUnderTest({ limits: { ...limits, bad_tokens_per_minute: 3 } }, clock)
    const from = '203.0.113.66'
    for (let i = 0; i < 3; i++)
      expect((await ask('admin', '/api/session', { token: 'wrong', from })).status).toBe(401)
    const refused = await ask('admin', '/api/session', { token, from })
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([
      429,
      'too_many_bad_tokens',
      '60',
    ])
    expect((await ask('admin', '/api/session', { token, from: '203.0.113.67' })).status).toBe(200)
    expect((await ask('admin', '/healthz', { from })).status).toBe(200)
    clock.advance(60_000)
    expect((await ask('admin', '/api/session', { token, from })).status).toBe(200)
  })
})

describe('Idempotency-Key', () => {
  const create = { method: 'POST', body: { label: 'laptop' }, headers: { 'idempotency-key': 'one' } }

  test('the same key and request give the same answer, secret and all, and have no second effect', async () => {
    const { ask, token } = await controlUnderTest()
    const first = await ask('admin', '/api/tokens', { token, ...create })
    const again = await ask('admin', '/api/tokens', { token, ...create })
    expect(again.json).toEqual(first.json)
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ])
    const { json } = await ask('admin', '/api/tokens', { token })
    expect(json.items).toHaveLength(2)
  })

  test('many at once with one key are one', async () => {
    const { ask, token } = await controlUnderTest()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => ask('admin', '/api/tokens', { token, ...create })),
    )
    expect(new Set(replies.map(reply => reply.json.id)).size).toBe(1)
  })

  test('the same key with another request is refused', async () => {
    const { ask, token } = await controlUnderTest()
    await ask('admin', '/api/tokens', { token, ...create })
    const other = await ask('admin', '/api/tokens', { token, ...create, body: { label: 'other' } })
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('a key belongs to its caller, and lasts 24 hours', async () => {
    const clock = new FakeClock(new Date().toISOString())
    const { ask, token } = await controlUnderTest({}, clock)
    const mine = await ask('admin', '/api/tokens', { token, ...create })
    const theirs = await ask('admin', '/api/tokens', { ...create, token: mine.json.token })
    expect(theirs.json.id).not.toBe(mine.json.id)
    clock.advance(24 * 3600 * 1000)
    expect((await ask('admin', '/api/tokens', { token, ...create })).json.id).not.toBe(mine.json.id)
  })

  test('what failed may be tried again with the same key', async () => {
    const { ask, token } = await controlUnderTest()
    const failed = await ask('admin', '/api/tokens', { token, ...create, body: { label: '' } })
    expect(failed.status).toBe(422)
    expect((await ask('admin', '/api/tokens', { token, ...create })).status).toBe(201)
  })
})
