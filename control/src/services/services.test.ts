/** Watched services over real HTTP: what is taken, refused, shown, kept secret and told. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type ServiceEntry, serviceEntry, serviceEntryPageDocument } from '@quarterdeck/contract'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { projectsUnderTest, sent, serve } from '../projects/under-test.ts'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { lookNow } from '../watch/index.ts'
import { serviceRoutes } from './routes.ts'

const own = [
  {
    id: 'admin',
    name: 'Admin',
    group: 'control',
    description: 'The API.',
    site: 'https://admin.example.com',
  },
  { id: 'agent', name: 'Agents', group: 'control', description: 'Do the work.', site: null },
]

async function started() {
  const file = join(temporaryDirectory(), 'database')
  const clock = new FakeClock('2026-05-01T00:00:00Z')
  const under = await projectsUnderTest(sqliteEngine(file), { clock })
  const ask = await serve(
    under,
    serviceRoutes({ ...under, own, look: watched => lookNow(watched, clock.now()) }),
  )
  const add = (change: object = {}) =>
    ask('POST', '/api/services', { id: 'payments', url: 'https://pay.example/', ...change })
  const ids = async (query = '', headers = {}) =>
    (await ask('GET', `/api/services${query}`, undefined, headers)).json.items.map(
      ({ id }: ServiceEntry) => id,
    )
  const facts = async () => (await under.facts()).filter(({ subject }) => subject.startsWith('service/'))
  return { under, ask, add, ids, facts, clock, file }
}

test('one is added, shown, changed and removed, and each is told', async () => {
  const { ask, add, facts, clock } = await started()
  const made = await add({ name: 'Payments', headers: { 'X-Key': 'sentinel' } })
  expect(made.status).toBe(201)
  expect(serviceEntry.parse(made.json)).toEqual(made.json)
  expect(made.json).toMatchObject({
    id: 'payments',
    kind: 'watched',
    name: 'Payments',
    group: 'production',
    watched: { interval_s: 15, header_names: ['X-Key'], created_at: '2026-05-01T00:00:00.000Z' },
  })
  clock.advance(60_000)
  const changed = await ask('PATCH', '/api/services/payments', { interval_s: 60, expect: { status: 204 } })
  expect(changed.json.watched).toMatchObject({
    interval_s: 60,
    expect: { status: 204, json: [], certificate_days: 14 },
    header_names: ['X-Key'],
    updated_at: '2026-05-01T00:01:00.000Z',
  })
  expect((await ask('PATCH', '/api/services/payments', { interval_s: 60 })).status).toBe(200)
  expect((await ask('GET', '/api/services/payments')).json).toEqual(changed.json)
  expect((await ask('DELETE', '/api/services/payments')).status).toBe(204)
  expect((await ask('DELETE', '/api/services/payments')).status).toBe(404)
  expect(await facts()).toEqual([
    { type: 'service.added', subject: 'service/payments', data: { url: 'https://pay.example/' } },
    { type: 'service.changed', subject: 'service/payments', data: { changed: ['expect', 'interval_s'] } },
    { type: 'service.removed', subject: 'service/payments', data: { url: 'https://pay.example/' } },
  ])
})

test('without a name it is shown by its id', async () => {
  const { add } = await started()
  expect((await add()).json.name).toBe('payments')
})

test('ids and the names of projects are one list, both ways', async () => {
  const { under, ask, add } = await started()
  await under.create({ name: 'hello' })
  expect(await add({ id: 'hello' })).toMatchObject({ status: 409, code: 'service_exists' })
  await ask('DELETE', '/hello')
  const archived = await add({ id: 'hello' })
  expect([archived.code, archived.json.detail]).toEqual([
    'service_exists',
    expect.stringContaining('was archived'),
  ])
  const reserved = await add({ id: 'admin' })
  expect(reserved.json).toMatchObject({ code: 'invalid_fields', errors: [{ field: 'id' }] })
  await add()
  expect(await add()).toMatchObject({ status: 409, code: 'service_exists' })
  const project = await ask('POST', '', sent({ name: 'payments' }))
  expect([project.code, project.json.detail]).toEqual([
    'service_exists',
    'There is a watched service payments already.',
  ])
})

test('all services are in one list, by id and in pages', async () => {
  const { under, ask, add, ids } = await started()
  for (const name of ['zebra', 'hello', 'api-2']) await under.create({ name })
  for (const id of ['payments', 'dns']) await add({ id })
  const all = ['admin', 'agent', 'api-2', 'dns', 'hello', 'payments', 'zebra']
  const { json } = await ask('GET', '/api/services')
  expect(serviceEntryPageDocument.schema.parse(json)).toEqual(json)
  expect(json.items.map(({ id, kind, group }: ServiceEntry) => `${id} ${kind} ${group}`)).toEqual([
    'admin own control',
    'agent own control',
    'api-2 project production',
    'dns watched production',
    'hello project production',
    'payments watched production',
    'zebra project production',
  ])
  expect(json.items[4].url).toBe('https://hello.example.com')
  for (const limit of [1, 2, 3, 7]) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await ask('GET', `/api/services?limit=${limit}${cursor && `&cursor=${cursor}`}`)).json
      seen.push(...page.items.map(({ id }: ServiceEntry) => id))
      if (!page.next_cursor) break
      cursor = page.next_cursor
    }
    expect(seen).toEqual(all)
  }
  expect(await ids('?kind=watched')).toEqual(['dns', 'payments'])
  expect((await ask('GET', '/api/services/hello')).json).toMatchObject({ kind: 'project', watched: null })
  expect((await ask('GET', '/api/services/agent')).json).toMatchObject({ kind: 'own', url: null })
  const limited = { authorization: 'Bearer viewer:hello' }
  expect(await ids('', limited)).toEqual(['admin', 'agent', 'hello'])
  expect((await ask('GET', '/api/services/payments', undefined, limited)).status).toBe(404)
  expect((await ask('GET', '/api/services/zebra', undefined, limited)).status).toBe(404)
})

test('what belongs to a project or the environment is not changed here', async () => {
  const { under, ask } = await started()
  await under.create({ name: 'hello' })
  const refused = await ask('PATCH', '/api/services/hello', { interval_s: 60 })
  expect([refused.status, refused.json.detail]).toEqual([
    404,
    expect.stringContaining('the service of a project'),
  ])
  expect((await ask('DELETE', '/api/services/admin')).status).toBe(404)
  expect((await ask('POST', '/api/services/hello/look')).status).toBe(404)
})

test('what is sent along is stored encrypted, never shown, and goes with its host', async () => {
  const { under, ask, add, file } = await started()
  const answers = JSON.stringify((await add({ headers: { Authorization: 'Bearer sentinel-1' } })).json)
  const opened = () =>
    under.store.read(async transaction => (await under.services.watched(transaction, 'payments')).headers)
  expect(await opened()).toEqual({ Authorization: 'Bearer sentinel-1' })
  await ask('PATCH', '/api/services/payments', { url: 'https://pay.example/other' })
  expect(await opened()).toEqual({ Authorization: 'Bearer sentinel-1' })
  const moved = await ask('PATCH', '/api/services/payments', { url: 'https://pay.example:444/' })
  expect([moved.json.watched.header_names, await opened()]).toEqual([[], {}])
  const again = { url: 'https://other.example/', headers: { 'X-Key': 'sentinel-2' } }
  expect((await ask('PATCH', '/api/services/payments', again)).json.watched.header_names).toEqual(['X-Key'])
  expect(await opened()).toEqual({ 'X-Key': 'sentinel-2' })
  await ask('PATCH', '/api/services/payments', { headers: {} })
  expect(await opened()).toEqual({})
  const events = JSON.stringify(await under.facts())
  const disk = ['', '-wal'].map(part => readFileSync(`${file}${part}`, 'latin1')).join('')
  expect([answers, events, disk, under.log.text()].some(text => text.includes('sentinel'))).toBe(false)
})

test('one depends on what is there, and not on itself', async () => {
  const { under, ask, add } = await started()
  await under.create({ name: 'hello' })
  expect((await add({ depends_on: ['nowhere'] })).json.errors).toEqual([
    { field: 'depends_on', message: 'There is no service nowhere.' },
  ])
  expect((await add({ depends_on: ['payments'] })).json.errors).toEqual([
    { field: 'depends_on', message: 'A service cannot depend on itself.' },
  ])
  expect((await add({ id: 'dns' })).status).toBe(201)
  expect((await add({ depends_on: ['hello', 'dns', 'status'] })).status).toBe(201)
  await ask('DELETE', '/api/services/dns')
  const kept = await ask('PATCH', '/api/services/payments', { interval_s: 30 })
  expect([kept.status, kept.json.depends_on]).toEqual([200, ['hello', 'dns', 'status']])
})

test('a project depends on services, too, and says what it is', async () => {
  const { under, ask, add } = await started()
  await add()
  const made = await under.create({
    name: 'shop',
    description: 'Sells things',
    depends_on: ['payments', 'auth'],
  })
  expect(made).toMatchObject({ description: 'Sells things', depends_on: ['payments', 'auth'] })
  expect((await ask('GET', '/api/services/shop')).json).toMatchObject({
    description: 'Sells things',
    depends_on: ['payments', 'auth'],
  })
  const errors = [{ field: 'depends_on', message: 'There is no service nowhere.' }]
  expect((await ask('PATCH', '/shop', { depends_on: ['nowhere'] })).json.errors).toEqual(errors)
  expect((await ask('POST', '', sent({ name: 'other', depends_on: ['nowhere'] }))).json.errors).toEqual(
    errors,
  )
  await ask('DELETE', '/api/services/payments')
  expect((await ask('PATCH', '/shop', { branch: 'next' })).status).toBe(200)
  expect((await ask('PATCH', '/shop', { depends_on: [] })).json.depends_on).toEqual([])
})

test('a change is checked as a whole', async () => {
  const { ask, add } = await started()
  await add({ timeout_s: 10 })
  const refused = await ask('PATCH', '/api/services/payments', { interval_s: 5 })
  expect([refused.status, refused.json.errors]).toEqual([
    422,
    [{ field: 'timeout_s', message: 'must be shorter than the interval' }],
  ])
})

test('a look tells what is seen at once, with what is sent along', async () => {
  const { ask, add } = await started()
  const server = createServer((request, response) => {
    const isKnown = request.headers['x-key'] === 'sentinel'
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('{"ok":false}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  await add({ url: `http://127.0.0.1:${port}/`, headers: { 'x-key': 'sentinel' } })
  const look = async () => (await ask('POST', '/api/services/payments/look')).json
  expect(await look()).toEqual({
    ok: true,
    http_status: 200,
    latency_ms: expect.any(Number),
    reason: null,
    warning: null,
    certificate_ends: null,
    redirects: 0,
  })
  await ask('PATCH', '/api/services/payments', { expect: { json: [{ path: '/ok', equals: true }] } })
  expect((await look()).reason).toEqual({ code: 'body', message: 'In its answer /ok is false, not true.' })
  await ask('PATCH', '/api/services/payments', { headers: {} })
  expect((await look()).reason.message).toBe('It answers 401, not 200-299.')
})
