import { expect, test } from 'vitest'
import { checkHealth, checkMetrics, checkVersion } from './checks.ts'
import type { Seen } from './probe-connection.ts'

function seen(body: string, { status = 200, isCoded = false, type = 'application/json' } = {}): Seen {
  const answer = { status, type, isCoded, location: undefined, body: Buffer.from(body) }
  return { answer: { ...answer, staysOpen: true }, latencyMs: 3 }
}

const sha = 'a'.repeat(40)

test('health is 200 with ok, and what else stands there does not matter', () => {
  expect(checkHealth('/healthz', seen('{"ok":true}'))).toEqual({
    ok: true,
    httpStatus: 200,
    latencyMs: 3,
    reason: null,
  })
  expect(checkHealth('/readyz', seen(' {"ok": true, "checks": []}\n')).ok).toBe(true)
})

test.each([
  ['{"ok":"true"}', 200, 'body'],
  ['{"ok":1}', 200, 'body'],
  ['{"ok":false}', 200, 'body'],
  ['[{"ok":true}]', 200, 'body'],
  ['true', 200, 'body'],
  ['ok', 200, 'body'],
  ['', 200, 'body'],
  ['{"ok":tr', 200, 'body'],
  ['{"__proto__":{"ok":true}}', 200, 'body'],
  ['{"ok":true}', 500, 'http'],
  ['{"ok":false}', 503, 'http'],
  ['<h1>502</h1>', 502, 'http'],
  ['{"ok":true}', 302, 'http'],
])('%j with %d is not healthy: %s', (body, status, code) => {
  expect(checkHealth('/healthz', seen(body, { status }))).toMatchObject({ ok: false, reason: { code } })
})

test('what is far longer than health or version can be is not even read', () => {
  const padded = (object: string) => seen(`${object.slice(0, -1)},"x":"${'x'.repeat(70_000)}"}`)
  expect(checkHealth('/healthz', padded('{"ok":true}'))).toMatchObject({
    ok: false,
    reason: { code: 'body' },
  })
  const version = checkVersion('/version', padded(`{"name":"hello","sha":"${sha}"}`), { names: null, sha })
  expect(version).toMatchObject({ ok: false, version: null })
})

test('a compressed answer is none that was asked for', () => {
  expect(checkHealth('/healthz', seen('{"ok":true}', { isCoded: true }))).toMatchObject({
    ok: false,
    reason: { code: 'body', message: '/healthz is compressed, though nobody asked for it.' },
  })
})

test('no answer is told with its reason', () => {
  const failure = { code: 'timeout', message: 'Within the time limit it does not answer.' } as const
  expect(checkHealth('/healthz', { failure })).toEqual({
    ok: false,
    httpStatus: null,
    latencyMs: null,
    reason: failure,
  })
})

test('a version is compared with what was deployed, if anything was', () => {
  const told = seen(`{"name":"hello","sha":"${sha}"}`)
  const check = (names: string[] | null, expected: string | null) =>
    checkVersion('/version', told, { names, sha: expected })
  expect(check(['hello'], sha)).toMatchObject({ ok: true, version: { name: 'hello', sha } })
  expect(check(['hello-development', 'hello'], sha).ok).toBe(true)
  expect(check(null, null).ok).toBe(true)
  expect(check(['shop'], sha).ok).toBe(true)
  expect(check(['shop'], 'b'.repeat(40))).toMatchObject({
    ok: false,
    reason: { code: 'version', message: 'hello answers in place of shop.' },
  })
  expect(check(['hello'], 'b'.repeat(40))).toMatchObject({
    ok: false,
    reason: { code: 'version', message: 'aaaaaaaaaaaa runs, bbbbbbbbbbbb was deployed.' },
    version: { sha },
  })
})

test.each([
  '{}',
  '{"name":"hello"}',
  '{"name":1,"sha":"x"}',
  '{"name":"a\\nb","sha":"x"}',
  `{"name":"x","sha":"${'x'.repeat(300)}"}`,
])('%j is no version', body => {
  expect(checkVersion('/version', seen(body), { names: null, sha: null })).toMatchObject({
    ok: false,
    version: null,
    reason: { code: 'body' },
  })
})

test('metrics that are not there are none; those that are have to answer', () => {
  expect(checkMetrics('/metrics', seen('', { status: 404 }))).toBeNull()
  expect(checkMetrics('/metrics', seen('{"hello":"/metrics"}'))).toBeNull()
  expect(checkMetrics('/metrics', seen('up 1\n', { type: 'text/plain' }))).toMatchObject({ ok: true })
  expect(checkMetrics('/metrics', seen('', { status: 500 }))).toMatchObject({ reason: { code: 'http' } })
})
