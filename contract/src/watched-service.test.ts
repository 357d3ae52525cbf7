import { expect, test } from 'vitest'
import { isMetadataHost } from './metadata-address.ts'
import { isExpectedStatus, jsonAssertion, urlExpectation } from './url-expectation.ts'
import { watchedChange, watchedCreate } from './watched-service.ts'

const least = { id: 'payments', url: 'https://pay.example/health' }
const refusal = (change: object) =>
  watchedCreate.safeParse({ ...least, ...change }).error?.issues.map(({ path }) => path.join('.'))

test('an id and an address are enough; the rest has its default', () => {
  expect(watchedCreate.parse(least)).toEqual({
    ...least,
    group: 'production',
    description: null,
    expect: { status: '200-299', json: [], certificate_days: 14 },
    interval_s: 15,
    timeout_s: 5,
    is_kit: false,
    depends_on: [],
    runbook: null,
    links: [],
    headers: {},
  })
})

test.each([
  ['another scheme', { url: 'ftp://pay.example' }, 'url'],
  ['no address', { url: 'pay.example' }, 'url'],
  ['a password in the address', { url: 'https://user:pass@pay.example' }, 'url'],
  ['a user in the address', { url: 'https://user@pay.example' }, 'url'],
  ['a limit as long as the interval', { interval_s: 5, timeout_s: 5 }, 'timeout_s'],
  ['too short an interval', { interval_s: 4, timeout_s: 1 }, 'interval_s'],
  ['a status that cannot be', { expect: { status: 600 } }, 'expect.status'],
  ['a range from the wrong end', { expect: { status: '299-200' } }, 'expect.status'],
  ['a range of words', { expect: { status: '2xx' } }, 'expect.status'],
  [
    'expectations of what the kit answers',
    { is_kit: true, expect: { json: [{ path: '', exists: true }] } },
    'expect.json',
  ],
  ['a dependency twice', { depends_on: ['a', 'a'] }, 'depends_on'],
  ['two lines in a name', { name: 'a\nb' }, 'name'],
  ['eleven assertions', { expect: { json: Array(11).fill({ path: '/a', exists: true }) } }, 'expect.json'],
  ['a header that ends its line', { headers: { 'x-key': 'a\r\nHost: b' } }, 'headers.x-key'],
  ['a header that is no name', { headers: { 'x key': 'a' } }, 'headers.x key'],
  ['a header of ours', { headers: { Host: 'a' } }, 'headers.Host'],
  ['a header twice', { headers: { 'X-Key': 'a', 'x-key': 'b' } }, 'headers'],
])('%s is refused', (_what, change, field) => {
  expect(refusal(change)).toEqual([field])
})

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://169.254.169.254./',
  'http://[fd00:ec2::254]/',
  'http://[fd00:0ec2:0:0::0254]/',
  'http://[::ffff:169.254.169.254]/',
  'http://169.254.170.2/',
  'http://100.100.100.200/',
])('%s is where a cloud tells secrets, and is refused however it is written', url => {
  expect(refusal({ url })).toEqual(['url'])
})

test('inner addresses can be watched, and addresses are compared as they are looked up', () => {
  for (const url of [
    'http://127.0.0.1:9000/',
    'http://10.0.0.7/',
    'http://[fd00::1]/',
    'http://db.internal/',
  ])
    expect(refusal({ url })).toBeUndefined()
  expect(['169.254.169.254', 'fd00:ec2::254', '::ffff:a9fe:a9fe'].map(isMetadataHost)).toEqual([
    true,
    true,
    true,
  ])
  expect(['169.254.169.253', 'fd00::254', '', 'metadata'].map(isMetadataHost)).toEqual(Array(4).fill(false))
})

test('a status is one or a range', () => {
  const { status } = urlExpectation.parse({})
  expect([199, 200, 204, 299, 300].map(each => isExpectedStatus(status, each))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
  expect([isExpectedStatus(204, 204), isExpectedStatus('204', 204), isExpectedStatus(204, 200)]).toEqual([
    true,
    true,
    false,
  ])
})

test.each([
  [{ path: 'ok', exists: true }],
  [{ path: '/a~2', exists: true }],
  [{ path: '/a' }],
  [{ path: '/a', equals: 1, at_least: 0 }],
  [{ path: '/a', equals: { b: 1 } }],
  [{ path: '/a', matches: '(a+)+$' }],
  [{ path: '/a', at_least: Number.POSITIVE_INFINITY }],
])('%j is no assertion', assertion => {
  expect(jsonAssertion.safeParse(assertion).success).toBe(false)
})

test('a change says only what is changed, and nothing that is not known', () => {
  expect(watchedChange.parse({ expect: { status: 204 } })).toEqual({ expect: { status: 204 } })
  expect(watchedChange.parse({ runbook: null })).toEqual({ runbook: null })
  expect(watchedChange.safeParse({ id: 'other' }).success).toBe(false)
  expect(watchedChange.safeParse({ expect: { staus: 204 } }).success).toBe(false)
})
