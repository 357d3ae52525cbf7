import {
  incidentEntryDocument,
  maintenanceEntryDocument,
  type ServiceHistory,
  statusDocument,
  statuspageStatusDocument,
  statuspageSummaryDocument,
} from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteEngine } from '../store/engines/sqlite/index.ts'
import { controlUnderTest } from '../under-test.ts'
import { draftReader } from './incidents/draft-reader.ts'
import { Incidents } from './incidents/incidents.ts'
import { IncidentTemplates } from './incidents/templates.ts'
import { Maintenances } from './maintenances/maintenances.ts'
import { readNotices } from './notices.ts'
import { begin } from './under-test.ts'

const origin = { by: 'operator:test', from: null, requestId: null }

async function writing() {
  const { open, clock } = await begin(sqliteEngine, 'Europe/Berlin')
  const parts = await open()
  onTestFinished(parts.stop)
  const { store, events, watch, notices, set } = parts
  watch.set([set('up'), set('up', 'shop')])
  const isService = (id: string) => watch.service(id) !== undefined
  const templates = new IncidentTemplates(events, clock)
  const incidents = new Incidents({ events, clock, templates, isService })
  const maintenances = new Maintenances({ events, clock, timeZone: 'Europe/Berlin', isService })
  const show = async () => notices.set(await store.read(transaction => readNotices(transaction, clock.now())))
  return { ...parts, clock, templates, incidents, maintenances, show }
}

test('an incident is opened from a template, told more of, resolved, and takes no more then', async () => {
  const { store, templates, incidents, show, read } = await writing()
  const opened = await store.write(async transaction => {
    await templates.set(transaction, origin, 'slow', {
      ...{ title: 'Hello is slow', impact: 'minor', body: 'We look into it.', service_ids: ['hello'] },
    })
    return incidents.open(transaction, origin, {
      template: 'slow',
      status: 'investigating',
      impact: 'major',
      draft: false,
    })
  })
  expect(incidentEntryDocument.schema.parse(opened)).toMatchObject({ name: 'Hello is slow', impact: 'major' })
  await show()
  expect(read()).toMatchObject({
    status: { indicator: 'major', description: 'Hello is slow' },
    incidents: [{ name: 'Hello is slow', service_ids: ['hello'], updates: [{ body: 'We look into it.' }] }],
  })
  const resolve = { status: 'resolved', body: 'It is well again.' } as const
  const update = () => store.write(transaction => incidents.update(transaction, origin, opened.id, resolve))
  expect((await update()).ends_at).not.toBeNull()
  await expect(update()).rejects.toMatchObject({ code: 'notice_over' })
  await show()
  expect(read()).toMatchObject({ status: { indicator: 'none' }, incidents: [] })
})

test('an alert opens one draft, which nobody sees before it is published', async () => {
  const { store, incidents, show, read, notices } = await writing()
  const draft = {
    ...{ source: 'alert/ServiceDown/hello', name: 'Hello is down', impact: 'major' as const },
    ...{ serviceIds: ['hello'], body: 'ServiceDown fires.' },
  }
  const open = () => store.write(transaction => incidents.openDraft(transaction, draft))
  const { id } = await open()
  expect((await open()).id).toBe(id)
  await show()
  expect(notices.allIncidents).toEqual([])
  await store.write(transaction => incidents.change(transaction, origin, id, { draft: false }))
  await show()
  expect(read().incidents).toMatchObject([{ id, name: 'Hello is down' }])
})

test('a critical problem opens a draft by itself, which goes with it', async () => {
  const { store, events, incidents, clock } = await writing()
  const reader = draftReader(incidents, clock)
  const tell = (type: 'problem.opened' | 'problem.ended', severity: string, id: string) =>
    store.write(async transaction => {
      const { position } = await transaction
        .selectFrom('event')
        .select(({ fn }) => fn.max('position').as('position'))
        .executeTakeFirstOrThrow()
      const data = { severity, labels: { alertname: 'ServiceDown' } }
      await events.append(transaction, origin, { type, subject: `problem/${id}`, data })
      await reader.handle(transaction, position ?? 0, (position ?? 0) + 1)
    })
  const names = () =>
    store.read(async transaction =>
      (await incidents.list(transaction, { limit: 10, after: undefined })).items.map(
        ({ name, draft, source }) => [name, draft, source],
      ),
    )
  await tell('problem.opened', 'warning', 'one')
  expect(await names()).toEqual([])
  await tell('problem.opened', 'critical', 'two')
  expect(await names()).toEqual([['ServiceDown', true, 'problem/two']])
  await tell('problem.ended', 'critical', 'two')
  expect(await names()).toEqual([])
  // Somebody has begun to write.
  await tell('problem.opened', 'critical', 'three')
  const page = await store.read(transaction => incidents.list(transaction, { limit: 1, after: undefined }))
  clock.advance(1000)
  await store.write(transaction =>
    incidents.update(transaction, origin, page.items[0]!.id, { status: 'identified', body: 'The disk.' }),
  )
  await tell('problem.ended', 'critical', 'three')
  expect(await names()).toEqual([['ServiceDown', true, 'problem/three']])
})

test.each([
  ['no name', { body: 'x' }],
  ['no text', { name: 'x' }],
  ['a service that is not there', { name: 'x', body: 'x', service_ids: ['nope'] }],
  ['a start in the future', { name: 'x', body: 'x', started_at: '2026-03-01T00:05:00Z' }],
])('%s is refused', async (_what, given) => {
  const { store, incidents } = await writing()
  const wanted = { status: 'investigating', draft: false, ...given } as const
  await expect(store.write(transaction => incidents.open(transaction, origin, wanted))).rejects.toMatchObject(
    { code: 'invalid_fields' },
  )
})

test('during its maintenance a service is neither up nor down, and after it what it is', async () => {
  const { store, maintenances, show, read, watch, set, notices, clock, pass, history90 } = await writing()
  const planned = await store.write(transaction =>
    maintenances.plan(transaction, origin, {
      ...{ name: 'More memory', impact: 'maintenance', service_ids: ['hello'], body: 'Away for a while.' },
      ...{
        starts_at: '2026-03-01T01:00:00Z',
        ends_at: '2026-03-01T02:00:00Z',
        repeat: null,
        repeat_until: null,
      },
    }),
  )
  expect(maintenanceEntryDocument.schema.parse(planned).status).toBe('scheduled')
  await show()
  pass(3600)
  notices.tick()
  watch.set([set('down'), set('up', 'shop')])
  expect(read()).toMatchObject({
    status: { indicator: 'maintenance' },
    services: [
      { id: 'hello', status: 'maintenance', since: '2026-03-01T01:00:00Z' },
      { status: 'operational' },
    ],
    maintenances: [{ status: 'in_progress' }],
  })
  pass(1800)
  const completed = { status: 'completed', body: 'Done.' } as const
  await store.write(transaction => maintenances.update(transaction, origin, planned.id, completed))
  await show()
  expect(read()).toMatchObject({
    services: [{ status: 'outage', since: '2026-03-01T01:30:00Z' }, {}],
    maintenances: [],
  })
  watch.set([set('up'), set('up', 'shop')])
  pass(600)
  const today = history90().history.at(-1)!
  expect(today).toMatchObject({ maintenance_s: 1800, down_s: 0 })
  expect(today.up_s).toBeGreaterThanOrEqual(3600 + 600 - 1)
  await expect(
    store.write(transaction => maintenances.update(transaction, origin, planned.id, completed)),
  ).rejects.toMatchObject({ code: 'notice_over' })
  expect(clock.now().toISOString()).toBe('2026-03-01T01:40:00.000Z')
})

test('over the API: written by the operator, read by everybody, valid by every schema', async () => {
  const { ask, token } = await controlUnderTest()
  await until(
    'services are watched',
    async () => (await ask('status', '/status.json')).json.services.length > 0,
  )
  const call = (method: string, path: string, body?: unknown) => ask('admin', path, { method, token, body })
  const { json: incident } = await call('POST', '/api/incidents', {
    ...{ name: 'Slow', body: 'We look into it.', impact: 'critical', service_ids: ['admin'] },
  })
  const starts = new Date().toISOString()
  const ends = new Date(Date.now() + 3600_000).toISOString()
  const planned = { name: 'Disks', starts_at: starts, ends_at: ends, service_ids: ['docs'], repeat: 'weekly' }
  expect((await call('POST', '/api/maintenances', planned)).status).toBe(201)
  const shown = await until('both are shown', async () => {
    const { json } = await ask('status', '/status.json')
    return json.incidents.length === 1 && json.maintenances.length === 1 && json
  })
  expect(statusDocument.schema.parse(shown)).toMatchObject({
    status: { indicator: 'critical', description: 'Slow' },
    maintenances: [{ name: 'Disks', status: 'in_progress' }],
  })
  expect(shown.services.find(({ id }: { id: string }) => id === 'docs').status).toBe('maintenance')
  const { json: summary } = await ask('status', '/api/v2/summary.json')
  expect(statuspageSummaryDocument.schema.parse(summary)).toMatchObject({
    ...{ incidents: [{ name: 'Slow' }], scheduled_maintenances: [{ status: 'in_progress' }] },
  })
  const { json: brief } = await ask('status', '/api/v2/status.json')
  expect(statuspageStatusDocument.schema.parse(brief).status.indicator).toBe('critical')
  const { json: schema } = await ask('status', '/status.schema.json')
  expect(schema.properties).toHaveProperty('services')
  expect((await ask('status', '/feed.atom')).text).toContain('<title>Slow</title>')
  expect((await ask('status', `/incidents/${incident.id}`)).text).toContain('We look into it.')
  const { json: history }: { json: ServiceHistory } = await ask('status', '/services/docs.json')
  expect(history.status).toBe('maintenance')
  expect((await ask('status', '/badge/docs.svg?what=status')).text).toContain('Maintenance')
  expect((await ask('status', '/badge/docs.svg?what=other')).status).toBe(404)
  expect((await call('DELETE', `/api/incidents/${incident.id}`)).status).toBe(204)
  const page = await ask('status', '/')
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
})

test('where that is wanted, an alert opens a draft, which nobody but those who write sees', async () => {
  const { ask, token } = await controlUnderTest({ status: { draft_incidents: true } })
  const labels = { alertname: 'ServiceDown', job: 'docs', severity: 'critical' }
  const report = (more: object) =>
    ask('admin', '/api/v2/alerts', { method: 'POST', token, body: [{ labels, ...more }] })
  const drafts = async () => (await ask('admin', '/api/incidents', { token })).json.items
  await report({})
  const [draft] = await until('it is there', async () => (await drafts()).length > 0 && drafts())
  expect(draft).toMatchObject({ name: 'ServiceDown: docs', draft: true, service_ids: ['docs'] })
  expect((await ask('status', '/status.json')).json.incidents).toEqual([])
  await report({ endsAt: new Date().toISOString() })
  await until('it goes with the alert', async () => (await drafts()).length === 0)
})
