import { type Service, statusDocument } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'
import { serviceUnderTest } from './under-test.ts'

const posted = { labels: { alertname: 'ServiceDown', job: 'hello', severity: 'critical' } }
const says = 'Messages about alerts do not reach 1 of 2 channels.'

/** Control with a channel that fails and one that does not. */
async function failing() {
  const it = await controlUnderTest({ watch: { interval_s: 1, timeout_s: 1 } })
  const api = (method: string, path: string, body?: unknown) =>
    it.ask('admin', path, { method, token: it.token, ...(body !== undefined && { body }) })
  const [broken, well] = [await serviceUnderTest(), await serviceUnderTest()]
  broken.answer = () => [500]
  const add = async (name: string, url: string): Promise<string> =>
    (await api('POST', '/api/channels', { name, settings: { kind: 'slack', url } })).json.id
  const id = await add('on-call', broken.url)
  await add('second', well.url)
  const admin = async () => {
    const { json } = await it.ask('status', '/status.json')
    return statusDocument.schema.parse(json).services.find(service => service.id === 'admin') as Service
  }
  const is = (status: string) =>
    until(`admin is ${status}`, async () => (await admin())?.status === status, 30_000)
  await is('operational')
  await it.ask('admin', '/api/v2/alerts', { method: 'POST', from: '127.0.0.1', body: [posted] })
  return { ...it, api, broken, well, id, admin, is }
}

test('that messages do not reach a channel is seen in control’s own status, until they do', async () => {
  const { ask, broken, well, admin, is } = await failing()
  await is('degraded')
  expect(await admin()).toMatchObject({ ok: true, reason: { code: 'connect', message: says } })
  const page = (await ask('status', '/')).text
  expect(page).toContain(says)
  expect(page).not.toContain('on-call')
  await until('the other channel hears of it', () =>
    well.received.some(({ body }) => body.includes('Messages do not reach the channel on-call')),
  )
  broken.answer = () => [200]
  await is('operational')
  const { since, reason } = await admin()
  expect(reason).toBeNull()
  expect(Date.now() - Date.parse(since!)).toBeLessThan(10_000)
})

test('a drill that arrives ends it, and so does another name or the end of the channel', async () => {
  const { api, broken, id, admin, is } = await failing()
  await is('degraded')
  broken.answer = () => [200]
  expect((await api('POST', `/api/channels/${id}/test`)).json).toEqual({ ok: true, problem: null })
  await is('operational')
  expect((await api('GET', `/api/channels/${id}`)).json).toMatchObject({ problem: null })

  broken.answer = () => [404]
  await api('POST', '/api/v2/alerts', [{ labels: { ...posted.labels, job: 'another' } }])
  await is('degraded')
  const settings = { kind: 'slack', url: broken.url }
  expect((await api('PUT', `/api/channels/${id}`, { name: 'renamed', settings })).status).toBe(200)
  const open = async () =>
    (await api('GET', '/api/alerts')).json.items.map(
      ({ labels }: { labels: Record<string, string> }) => labels.channel,
    )
  await until('what it was called before is forgotten', async () => !(await open()).includes('on-call'))
  await until('it fails by its new name', async () => (await open()).includes('renamed'))
  await api('DELETE', `/api/channels/${id}`)
  await is('operational')
  expect(await open()).not.toContain('renamed')
  expect((await admin()).reason).toBeNull()
})
