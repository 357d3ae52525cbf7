import { type UrlExpectation, urlExpectation } from '@quarterdeck/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkUrl, nextStep, redirectOf } from './check-url.ts'
import type { Seen } from './probe-connection.ts'

const now = new Date('2026-11-15T12:00:00Z')
const day = 86_400_000

interface Said {
  status?: number
  type?: string
  isCoded?: boolean
  location?: string
}

function seen(
  body: string | Buffer = '',
  { status = 200, type = 'application/json', isCoded = false, location }: Said = {},
): Seen {
  return {
    answer: { status, type, isCoded, location, body: Buffer.from(body), staysOpen: true },
    latencyMs: 3,
  }
}

const check = (expected: (typeof urlExpectation)['_zod']['input'], one: Seen, certificateEnds?: Date) =>
  checkUrl(urlExpectation.parse(expected), { seen: one, certificateEnds }, now)

const asserted = (
  assertion: NonNullable<(typeof urlExpectation)['_zod']['input']['json']>[number],
  body: string | Buffer,
  said?: Said,
) => check({ json: [assertion] }, seen(body, said)).reason?.message ?? null

test('without more, any answer from 200 to 299 is well', () => {
  expect(check({}, seen('<h1>Hello</h1>', { type: 'text/html' }))).toEqual({
    ok: true,
    httpStatus: 200,
    latencyMs: 3,
    reason: null,
    warning: null,
  })
  expect(check({}, seen('', { status: 204 })).ok).toBe(true)
  expect(check({}, seen('', { status: 503 }))).toMatchObject({
    ok: false,
    httpStatus: 503,
    reason: { code: 'http', message: 'It answers 503, not 200-299.' },
  })
  expect(check({ status: 401 }, seen('', { status: 401 })).ok).toBe(true)
  expect(check({ status: 401 }, seen()).reason?.message).toBe('It answers 200, not 401.')
})

test('no answer is told as the connection tells it', () => {
  const failure = { code: 'dns', message: 'Its name cannot be looked up.' } as const
  expect(check({}, { failure })).toEqual({
    ok: false,
    httpStatus: null,
    latencyMs: null,
    reason: failure,
    warning: null,
  })
})

test.each<[Parameters<typeof asserted>[0], string, string | null]>([
  [{ path: '/ok', equals: true }, '{"ok":true}', null],
  [{ path: '/ok', equals: true }, '{"ok":false}', 'In its answer /ok is false, not true.'],
  [{ path: '/ok', equals: true }, '{"ok":"true"}', 'In its answer /ok is another text, not true.'],
  [{ path: '/ok', equals: true }, '[{"ok":true}]', 'In its answer /ok is not there.'],
  [{ path: '/0/ok', equals: true }, '[{"ok":true}]', null],
  [{ path: '/00/ok', equals: true }, '[{"ok":true}]', 'In its answer /00/ok is not there.'],
  [{ path: '/length', exists: true }, '[1,2]', 'In its answer /length is not there.'],
  [{ path: '', equals: null }, 'null', null],
  [{ path: '/a~1b/c~0d', equals: 1 }, '{"a/b":{"c~d":1}}', null],
  [{ path: '/a', exists: true }, '{"a":null}', null],
  [{ path: '/a', exists: false }, '{"b":null}', null],
  [{ path: '/a', exists: false }, '{"a":0}', 'In its answer /a is there.'],
  [{ path: '/state', contains: 'up' }, '{"state":"all up"}', null],
  [
    { path: '/state', contains: 'up' },
    '{"state":"down"}',
    'In its answer /state does not contain what is expected.',
  ],
  [{ path: '/state', contains: 'up' }, '{"state":["up"]}', 'In its answer /state is a list, not a text.'],
  [{ path: '/v', starts_with: '2.' }, '{"v":"2.1"}', null],
  [{ path: '/v', starts_with: '2.' }, '{"v":"12.1"}', 'In its answer /v does not begin as expected.'],
  [{ path: '/free', at_least: 10 }, '{"free":10}', null],
  [{ path: '/free', at_least: 10 }, '{"free":9.5}', 'In its answer /free is 9.5, less than 10.'],
  [{ path: '/lag', at_most: 5 }, '{"lag":6}', 'In its answer /lag is 6, more than 5.'],
  [{ path: '/lag', at_most: 5 }, '{"lag":"4"}', 'In its answer /lag is another text, not a number.'],
  [
    { path: '/lag', at_least: 5 },
    '{"lag":1e999}',
    'In its answer /lag is a number beyond counting, not a number.',
  ],
  [{ path: '/__proto__/x', exists: true }, '{"a":1}', 'In its answer /__proto__/x is not there.'],
  [{ path: '/__proto__/x', equals: 1 }, '{"__proto__":{"x":1}}', null],
  [{ path: '/constructor', exists: true }, '{"a":1}', 'In its answer /constructor is not there.'],
  [{ path: '/ok', equals: true }, '{"ok":tr', 'It does not answer valid JSON.'],
  [{ path: '/ok', equals: true }, '', 'It does not answer valid JSON.'],
])('%j of %s: %s', (assertion, body, message) => {
  expect(asserted(assertion, body)).toBe(message)
})

test('all assertions hold, and the first that does not is told', () => {
  const json = [
    { path: '/a', equals: 1 },
    { path: '/b', equals: 2 },
    { path: '/c', equals: 3 },
  ]
  expect(check({ json }, seen('{"a":1,"b":2,"c":3}')).ok).toBe(true)
  expect(check({ json }, seen('{"a":1,"b":0,"c":0}')).reason).toEqual({
    code: 'body',
    message: 'In its answer /b is 0, not 2.',
  })
})

test('nothing of a hostile body is told but what it is', () => {
  const ok = { path: '/ok', equals: true } as const
  expect(asserted(ok, '{"ok":"10.0.0.7 \\u001b[31m secret"}')).toBe(
    'In its answer /ok is another text, not true.',
  )
  expect(asserted(ok, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe(
    'It does not answer valid JSON.',
  )
  expect(asserted(ok, '{"ok":true}', { type: 'text/html' })).toBe(
    'It answers text/html, where JSON is expected.',
  )
  expect(asserted(ok, '{"ok":true}', { type: '' })).toBe('It answers without a type, where JSON is expected.')
  expect(asserted(ok, '{"ok":true}', { type: 'a b<c>' })).toBe(
    'It answers a type that cannot be, where JSON is expected.',
  )
  expect(asserted(ok, '{"ok":true}', { type: 'application/health+json' })).toBeNull()
  expect(asserted(ok, '{"ok":true}', { isCoded: true })).toBe(
    'It answers compressed, though nobody asked for it.',
  )
  expect(asserted(ok, '['.repeat(500_000))).toBe('It does not answer valid JSON.')
  expect(asserted(ok, '['.repeat(100_000) + ']'.repeat(100_000))).toBe('In its answer /ok is not there.')
  expect(asserted(ok, `{"ok":true,"more":"${'x'.repeat(1024 * 1024)}"}`)).toMatch(/more than 1 MiB/)
})

test('whatever is answered, it is judged and never thrown at', () => {
  const assertion = fc.record({
    path: fc.constantFrom('', '/a', '/0', '/__proto__', '/a/b/0'),
    at_least: fc.double({ noNaN: true, noDefaultInfinity: true }),
  })
  fc.assert(
    fc.property(assertion, fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (one, body) => {
      const checked = check({ json: [one] }, seen(body))
      expect(checked.ok).toBe(checked.reason === null)
    }),
    { numRuns: 200 },
  )
})

test('a certificate that ends soon is a warning, and no failure', () => {
  const inDays = (days: number) => check({}, seen(), new Date(now.getTime() + days * day))
  expect([inDays(14).warning, inDays(400).warning, check({}, seen()).warning]).toEqual([null, null, null])
  expect(inDays(13.9)).toMatchObject({
    ok: true,
    warning: { code: 'tls', message: 'Its certificate ends in 13 days.' },
  })
  expect(inDays(1.5).warning?.message).toBe('Its certificate ends in 1 day.')
  expect(inDays(0.5).warning?.message).toBe('Its certificate ends within a day.')
  expect(inDays(-1).warning?.message).toBe('Its certificate has ended.')
  expect(check({ certificate_days: 0 }, seen(), new Date(now.getTime() + day / 2)).warning).toBeNull()
  expect(check({}, seen(), new Date(Number.NaN)).warning).toBeNull()
})

const step = (url: string, location: string | undefined, status = 302) => {
  const next = nextStep(new URL(url), { status, location })
  return 'follow' in next ? next.follow.href : next.reason.message
}

test.each([
  ['https://a.example/x', '/y?z=1#top', 'https://a.example/y?z=1'],
  ['https://a.example/x/', 'y', 'https://a.example/x/y'],
  ['http://a.example/', 'https://a.example/', 'https://a.example/'],
  ['http://a.example:8080/', 'https://a.example/', 'https://a.example/'],
  ['http://a.example:8080/', 'https://a.example:8080/', 'https://a.example:8080/'],
  ['https://a.example/', 'https://A.EXAMPLE:443/b', 'https://a.example/b'],
  ['https://a.example/', 'http://a.example/', 'It leads from https to http (302).'],
  ['https://a.example/', 'https://b.example/', 'It leads to another host (302).'],
  ['https://a.example/', '//b.example/', 'It leads to another host (302).'],
  ['https://a.example/', '/\\b.example/', 'It leads to another host (302).'],
  ['https://a.example/', 'https://a.example.b.example/', 'It leads to another host (302).'],
  ['https://a.example/', 'https://www.a.example/', 'It leads to another host (302).'],
  ['https://a.example/', 'https://a.example:8443/', 'It leads to another port (302).'],
  ['http://a.example/', 'https://a.example:8443/', 'It leads to another port (302).'],
  ['https://a.example/', 'https://u:p@a.example/', 'It leads to an address with a password (302).'],
  ['https://a.example/', 'javascript:alert(1)', 'It leads to what is no web address (302).'],
  ['https://a.example/', 'file:///etc/passwd', 'It leads to what is no web address (302).'],
  ['https://a.example/', 'http://[', 'It leads nowhere (302).'],
  ['https://a.example/', undefined, 'It leads nowhere (302).'],
])('from %s to %s: %s', (url, location, outcome) => {
  expect(step(url, location)).toBe(outcome)
})

test('only a redirect that is not expected is one', () => {
  const of = (expected: UrlExpectation, status: number) => {
    const one = seen('', { status, location: '/y' })
    return 'answer' in one ? redirectOf(expected, new URL('https://a.example/'), one.answer) : undefined
  }
  const usual = urlExpectation.parse({})
  expect([200, 300, 304, 404].map(status => of(usual, status))).toEqual(Array(4).fill(undefined))
  expect([301, 302, 303, 307, 308].every(status => of(usual, status) !== undefined)).toBe(true)
  expect(of(urlExpectation.parse({ status: 301 }), 301)).toBeUndefined()
})
