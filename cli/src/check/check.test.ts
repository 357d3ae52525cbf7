import { describe, expect, test } from 'vitest'
import { healthClauses } from './clauses/health.ts'
import { type CheckOptions, checkService, type Report } from './index.ts'
import type { Probe } from './probe.ts'
import {
  at,
  type Break,
  breaches,
  brokenService,
  expectBreaches,
  goodService,
  listening,
  type Reply,
  sha,
} from './under-test.ts'

const unchecked = ({ clauses }: Report) => clauses.filter(({ ok }) => ok === null).map(({ id }) => id)

test('a service with the kit keeps every clause', async () => {
  const url = `http://hello.localhost:${await goodService()}`
  // Whatever listens on 0.0.0.0 is also reached at another address of the loopback network.
  const report = await checkService(url, { name: 'hello', sha, metrics: true, addresses: ['127.0.0.2'] })
  expect(report).toMatchObject({ ok: true, url })
  expect(report.clauses.filter(({ ok }) => !ok)).toEqual([])
  const ids = report.clauses.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

describe('a breach is found, and nothing else is called one:', () => {
  const header = (path: string, name: string, value?: string): Break =>
    at(path, ({ headers: { [name]: _dropped, ...rest } }) => ({
      headers: value === undefined ? rest : { ...rest, [name]: value },
    }))
  const body = (path: string, text: string): Break => at(path, () => ({ body: text }))
  const onHead = (path: string, reply: Partial<Reply>): Break =>
    at(path, (_, { request }) => (request.method === 'HEAD' ? reply : {}))

  const broken: [what: string, ids: string[], change: Break, options?: CheckOptions][] = [
    ['health is missing', ['health.status'], at('/healthz', () => ({ status: 500 }))],
    ['health says no', ['health.status'], at('/healthz', () => ({ status: 503, body: '{"ok":false}' }))],
    ['health asks for a login', ['health.status'], at('/healthz', () => ({ status: 401 }))],
    [
      'health redirects',
      ['health.status'],
      at('/healthz', () => ({ status: 308, headers: { location: '/healthz/' } })),
    ],
    ['health hangs up', ['health.status'], at('/healthz', (_, { request }) => void request.socket.destroy())],
    ['health says more', ['health.body'], body('/healthz', '{"ok":true,"uptime":3}')],
    ['health is 1', ['health.body'], body('/healthz', '{"ok":1}')],
    ['health is no JSON', ['health.body'], body('/healthz', 'OK')],
    ['health is plain text', ['health.type'], header('/healthz', 'content-type', 'text/plain')],
    ['health may be cached', ['health.cache'], header('/healthz', 'cache-control')],
    ['HEAD is not allowed', ['health.head'], onHead('/healthz', { status: 405 })],
    [
      'HEAD has other headers',
      ['version.head'],
      onHead('/version', { headers: { 'content-type': 'application/json' } }),
    ],
    ['HEAD tells another length', ['readiness.head'], onHead('/readyz', { body: '' })],
    [
      'HEAD has a body',
      ['health.head'],
      at('/healthz', (reply, { request }) => {
        if (request.method !== 'HEAD') return {}
        const headers = Object.entries({ ...reply.headers, 'content-length': '11' })
        const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        request.socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n{"ok":true}`)
      }),
    ],
    ['not ready', ['readiness.status'], at('/readyz', () => ({ status: 503, body: '{"ok":false}' }))],
    ['readiness is missing', ['readiness.status'], at('/readyz', () => ({ status: 404 }))],
    ['not ready, but ok', ['readiness.status', 'readiness.body'], at('/readyz', () => ({ status: 503 }))],
    ['ready, but not ok', ['readiness.body'], body('/readyz', '{"ok":false}')],
    ['readiness is plain text', ['readiness.type'], header('/readyz', 'content-type', 'application/jsonp')],
    ['readiness may be cached', ['readiness.cache'], header('/readyz', 'cache-control', 'no-cache')],
    ['version is missing', ['version.status'], at('/version', () => ({ status: 404 }))],
    ['version says more', ['version.body'], body('/version', `{"name":"a","sha":"${sha}","node":"24"}`)],
    ['version has no name', ['version.body'], body('/version', `{"name":"","sha":"${sha}"}`)],
    ['version is a list', ['version.body'], body('/version', '["hello"]')],
    ['version is plain text', ['version.type'], header('/version', 'content-type')],
    ['version may be cached', ['version.cache'], header('/version', 'cache-control', 'max-age=60')],
    ['the commit is unknown', ['version.sha'], body('/version', '{"name":"a","sha":"unknown"}')],
    [
      'version changes',
      ['version.steady'],
      at('/version', (_, { before }) => ({ body: `{"name":"a","sha":"abcdef${before % 3}"}` })),
    ],
    ['another name', ['version.expected-name'], () => ({}), { name: 'other' }],
    ['another commit', ['version.expected-sha'], () => ({}), { sha: 'abcdef0' }],
    [
      'unknown paths are found',
      ['errors.not-found'],
      ({ status }) => (status === 404 ? { status: 200, body: 'Welcome!' } : {}),
    ],
    [
      'errors show a stack of Node',
      ['errors.no-trace'],
      ({ status }) =>
        status === 404
          ? { body: '<pre>Error: no<br>&nbsp; at run (file:///srv/app/main.js:3:12)</pre>' }
          : {},
    ],
    [
      'errors show a stack of Python',
      ['errors.no-trace'],
      ({ status }) => (status === 404 ? { body: 'Traceback (most recent call last):\n' } : {}),
    ],
  ]

  test.each(broken)('%s', async (_what, ids, change, options = {}) => {
    const url = await brokenService(change)
    expectBreaches(await checkService(url, { addresses: ['127.0.0.2'], metrics: false, ...options }), ids)
  })

  test('health takes longer than a second', async () => {
    const slow = { first: async () => ({ ms: 1200.4 }) } as unknown as Probe
    const prompt = healthClauses.find(({ id }) => id === 'health.prompt')!
    expect(await prompt.check(slow)).toMatchObject({ ok: false, found: '1201 ms' })
  })

  test('it listens on the loopback address only', async () => {
    const url = `http://localhost:${await goodService('127.0.0.1')}`
    const report = await checkService(url, { addresses: ['127.0.0.2'] })
    expect(breaches(report)).toEqual(['reach.beyond-loopback'])
    expect(report.clauses[1]?.remedy).toContain('0.0.0.0')
  })
})

describe('what cannot be seen is no breach:', () => {
  test('a machine without an address beyond the loopback', async () => {
    const report = await checkService(`http://127.0.0.1:${await goodService('127.0.0.1')}`, { addresses: [] })
    expect(report.ok).toBe(true)
    expect(unchecked(report)).toContain('reach.beyond-loopback')
  })

  test.each([
    ['not offered', {}],
    ['not asked for', { metrics: false }],
  ])('metrics that are %s', async (found, options) => {
    const url = await brokenService((_, { path }) => (path === '/metrics' ? { status: 404 } : {}))
    const report = await checkService(url, options)
    expect(report.ok).toBe(true)
    const metrics = report.clauses.filter(({ id }) => /^(open)?metrics\./.test(id))
    expect(metrics.length).toBeGreaterThan(10)
    expect(new Set(metrics.map(clause => `${clause.ok} ${clause.found}`))).toEqual(new Set([`null ${found}`]))
  })
})

test('a base path is kept, with or without a slash at its end', async () => {
  const paths: string[] = []
  const port = await listening((request, response) => {
    paths.push(request.url ?? '')
    response.end()
  })
  await checkService(`http://127.0.0.1:${port}/api/`)
  expect(paths).toContain('/api/healthz')
  expect(paths.every(path => path.startsWith('/api/'))).toBe(true)
})

test('what a service says cannot steer the terminal', async () => {
  const url = await brokenService((_, { path }) =>
    path === '/healthz' ? { body: '\u001b[2J\u009b2J\u202eko' } : {},
  )
  const { clauses } = await checkService(url, { metrics: false })
  expect(clauses.find(({ id }) => id === 'health.body')?.found).toBe('"\\u001b[2J\\u009b2J\\u202eko"')
})

test('an answer without end is cut off', async () => {
  const url = await brokenService((_, { path }) =>
    path === '/healthz' ? { body: Buffer.alloc(11 * 1024 * 1024) } : {},
  )
  const report = await checkService(url)
  expect(breaches(report)).toEqual(['health.status'])
  expect(report.clauses.find(({ id }) => id === 'health.status')?.found).toContain('10 MiB')
})
