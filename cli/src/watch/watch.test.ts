import {
  Fault,
  operations,
  type ServiceEntry,
  type ServiceLook,
  serviceEntryDocument,
  serviceLookDocument,
} from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { type Answer, qd, standIn, startQd } from '../under-test.ts'
import { idFrom } from './add.ts'
import { assertionOf, assertionText } from './assertion.ts'

const payments = serviceEntryDocument.example as ServiceEntry
const well: ServiceLook = {
  ...{ ok: true, http_status: 200, latency_ms: 12.4, reason: null, warning: null },
  ...{ certificate_ends: '2027-01-20T12:00:00Z', redirects: 1 },
}
const ill = serviceLookDocument.example as ServiceLook

const added: Answer = ({ body }) => {
  const { id, url, name = id, interval_s } = operations.watchService.body.schema.parse(body)
  return { ...payments, id, url, name, watched: { ...payments.watched, interval_s } }
}

const routes = {
  'POST /api/services': added,
  'POST /api/services/payments/look': () => well,
  'POST /api/services/pay-example/look': () => well,
  'GET /api/services': () => ({ items: [payments], next_cursor: null }),
  'GET /api/services/payments': () => payments,
  'PATCH /api/services/payments': () => payments,
  'DELETE /api/services/payments': () => undefined,
}

test('a service is added with what was said of it, and what is seen there is told', async () => {
  const { home, asked } = await standIn({ ...routes })
  const done = await qd(
    ...[
      'watch',
      'add',
      'https://pay.example/health',
      '--id',
      'payments',
      '--name',
      'Payments',
      '--group',
      'control',
    ],
    ...['--status', '204', '--expect', '/ok=true', '--expect', '/free>=10', '--certificate-days', '21'],
    ...[
      '--interval',
      '60',
      '--timeout',
      '2.5',
      '--depends-on',
      'hello',
      '--link',
      'Site=https://pay.example',
      '--home',
      home,
    ],
  )
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toBe(
    '✓ payments is watched from now on: https://pay.example/health every 60 s.\n' +
      '✓ Seen just now: it answers 200 in 12 ms after 1 redirect with a certificate until 2027-01-20.\n',
  )
  expect(asked.map(({ route }) => route)).toEqual(['POST /api/services', 'POST /api/services/payments/look'])
  expect(asked[0]?.body).toEqual({
    id: 'payments',
    url: 'https://pay.example/health',
    name: 'Payments',
    group: 'control',
    expect: {
      status: 204,
      json: [
        { path: '/ok', equals: true },
        { path: '/free', at_least: 10 },
      ],
      certificate_days: 21,
    },
    interval_s: 60,
    timeout_s: 2.5,
    depends_on: ['hello'],
    links: [{ title: 'Site', url: 'https://pay.example' }],
  })
})

test('an address alone is enough; one that is not well stays watched, and the way on is told', async () => {
  const { home, asked, routes: now } = await standIn({ ...routes })
  const add = (...more: string[]) => qd('watch', 'add', 'https://www.pay.example/', '--home', home, ...more)
  expect((await add()).code).toBe(0)
  expect(asked[0]?.body).toEqual({ id: 'pay-example', url: 'https://www.pay.example/' })
  now['POST /api/services/pay-example/look'] = () => ({
    ...ill,
    warning: { code: 'tls', message: 'Its certificate ends in 3 days.' },
  })
  const { code, stdout } = await add()
  expect(code).toBe(0)
  expect(stdout).toContain(
    '✗ Seen just now: It answers 503, not 200-299.\n! Its certificate ends in 3 days.\n',
  )
  expect(stdout).toContain('`qd watch remove pay-example` ends it.')
  const json = JSON.parse((await add('--json')).stdout)
  expect([json.service.id, json.look.ok]).toEqual(['pay-example', false])
  now['POST /api/services'] = () => {
    throw new Fault('service_exists', 'There is a project pay-example already.')
  }
  expect(await add()).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is a project pay-example already.'),
  })
})

test('what is sent along comes by standard input, and never as an argument', async () => {
  const { home, asked } = await standIn({ ...routes })
  const args = [
    'watch',
    'add',
    'https://pay.example',
    '--id',
    'payments',
    '--header',
    'Authorization',
    '--home',
    home,
  ]
  const { child, ended } = startQd(args, {}, 'Bearer sentinel\n')
  const done = await ended
  expect(child.spawnargs).not.toContain('Bearer sentinel')
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout + done.stderr).not.toContain('sentinel')
  expect(asked[0]?.body).toMatchObject({ headers: { Authorization: 'Bearer sentinel' } })
  const two = await startQd([...args, '--header', 'X-Key'], {}, 'a\n').ended
  expect(two).toMatchObject({ code: 3, stderr: expect.stringContaining('2 are named') })
  expect((await startQd(args, {}, '').ended).stderr).toContain(
    'Nothing came on standard input for Authorization.',
  )
})

test('a setting is changed, taken away, and nothing is no change', async () => {
  const { home, asked } = await standIn({ ...routes })
  const set = (...args: string[]) => qd('watch', 'set', 'payments', '--home', home, ...args)
  expect((await set('--interval', '30', '--address', 'https://b.example/')).stdout).toBe(
    '✓ payments was changed: interval_s, url.\n',
  )
  await set(
    '--no-expect',
    '--no-runbook',
    '--no-header',
    '--no-kit',
    '--no-depends-on',
    '--no-link',
    '--no-description',
  )
  expect(asked.map(({ body }) => body)).toEqual([
    { interval_s: 30, url: 'https://b.example/' },
    {
      expect: { json: [] },
      runbook: null,
      headers: {},
      is_kit: false,
      depends_on: [],
      links: [],
      description: null,
    },
  ])
  expect(await set()).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Nothing was said to change of payments.'),
  })
})

test('services are listed, shown, looked at and removed', async () => {
  const { home, asked, routes: now } = await standIn({ ...routes })
  const list = await qd('watch', 'list', '--home', home)
  expect(list.stdout).toContain(
    'payments  watched  Payments  production  15 s   https://api.payments.example/health',
  )
  await qd('watch', 'list', '--all', '--home', home)
  expect(asked.map(({ route }) => route.includes('kind=watched'))).toEqual([true, false])
  now['GET /api/services'] = () => ({ items: [], next_cursor: null })
  expect((await qd('watch', 'list', '--home', home)).stdout).toContain('`qd watch add URL` adds a service.')
  expect((await qd('watch', 'show', 'payments', '--home', home)).stdout).toBe(
    [
      'payments',
      '  Name         Payments',
      '  Kind         watched only',
      '  Group        production',
      '  Address      https://api.payments.example/health',
      '  Asked        every 15 s, for 5 s at most',
      '  Sent along   authorization',
      '  Expected     status 200-299',
      '  In its JSON  /ok=true',
      '  Certificate  degraded with fewer than 21 days left',
      '  Runbook      runbooks/payments',
      '  Changed      2026-11-15T09:00:00Z',
      '',
    ].join('\n'),
  )
  expect(await qd('watch', 'look', 'payments', '--home', home)).toMatchObject({ code: 0 })
  now['POST /api/services/payments/look'] = () => ill
  expect(await qd('watch', 'look', 'payments', '--home', home)).toMatchObject({ code: 3 })
  expect((await qd('watch', 'remove', 'payments', '--home', home)).code).toBe(3)
  expect(await qd('watch', 'remove', 'payments', '--yes', '--home', home)).toMatchObject({
    code: 0,
    stdout: '✓ payments is watched no more.\n',
  })
})

test.each([
  ['/ok=true', { path: '/ok', equals: true }],
  ['/ok="true"', { path: '/ok', equals: 'true' }],
  ['/state=up', { path: '/state', equals: 'up' }],
  ['/a=', { path: '/a', equals: '' }],
  ['/a=b=c', { path: '/a', equals: 'b=c' }],
  ['/n=null', { path: '/n', equals: null }],
  ['/free>=10', { path: '/free', at_least: 10 }],
  ['/lag<=0.5', { path: '/lag', at_most: 0.5 }],
  ['/state~=up', { path: '/state', contains: 'up' }],
  ['/v^=2.', { path: '/v', starts_with: '2.' }],
  ['/a~1b', { path: '/a~1b', exists: true }],
  ['!/error', { path: '/error', exists: false }],
])('%s is %j, and is written so again', (text, assertion) => {
  expect(assertionOf(text)).toEqual(assertion)
  expect(assertionOf(assertionText(assertion as never))).toEqual(assertion)
})

test.each(['ok=true', '/a>=x', '/a>=', '/a={"b":1}', '/a~=', '/a~2'])(
  '%s is refused, and how it is written is told',
  text => {
    expect(() => assertionOf(text)).toThrow(/It is written as '\/ok=true'/)
  },
)

test.each([
  ['https://www.Pay.example/x', undefined, 'pay-example'],
  ['https://pay.example', 'Zahlungen für Ä', 'zahlungen-fur-a'],
  ['http://10.0.0.7:81/', undefined, 'at-10-0-0-7'],
  ['http://[::1]/', undefined, 'at-1'],
  [`https://${'a'.repeat(62)}.example`, undefined, 'a'.repeat(62)],
])('%s (%s) is called %s', (url, name, id) => {
  expect(idFrom(url, name)).toBe(id)
})

test('what tells no name is refused', async () => {
  expect(() => idFrom('nonsense')).toThrow('"nonsense" is no address')
  expect(() => idFrom('https://a.example', '日本')).toThrow('does not tell')
})
