import { alertmanagerWebhookDocument } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'
import { serviceUnderTest, telegramSettings, telegramUnderTest } from './under-test.ts'

const posted = (change: object = {}) => ({
  labels: { alertname: 'ServiceDown', job: 'hello', severity: 'critical' },
  annotations: { summary: 'hello is down' },
  ...change,
})

async function asked() {
  const it = await controlUnderTest()
  const api = (method: string, path: string, body?: unknown) =>
    it.ask('admin', path, { method, token: it.token, ...(body !== undefined && { body }) })
  const open = async () => (await api('GET', '/api/alerts')).json.items
  return { ...it, api, open }
}

test('a Prometheus on this machine reports without a token; from elsewhere it needs one', async () => {
  const { ask, token, open } = await asked()
  const report = (more: object, body: unknown = [posted()]) =>
    ask('admin', '/api/v2/alerts', { method: 'POST', body, ...more })
  expect((await report({})).status).toBe(401)
  expect((await report({ from: '127.0.0.1' })).status).toBe(200)
  expect((await report({ token })).status).toBe(200)
  expect(await open()).toMatchObject([{ state: 'firing', severity: 'critical', source: 'alertmanager-api' }])
  expect((await report({ token }, [{ labels: {} }])).json.errors[0].field).toContain('labels')
  expect((await report({ token }, [posted({ endsAt: '2020-01-01T00:00:00Z' })])).status).toBe(200)
  expect(await open()).toEqual([])
})

test('an Alertmanager’s webhook is taken, and its word for the end', async () => {
  const { ask, open } = await asked()
  const send = (change: object) =>
    ask('admin', '/api/alerts/alertmanager', {
      method: 'POST',
      from: '::1',
      body: { ...(alertmanagerWebhookDocument.example as object), ...change },
    })
  expect((await send({})).status).toBe(200)
  expect(await open()).toMatchObject([{ source: 'alertmanager', labels: { job: 'hello' } }])
  const [alert] = (alertmanagerWebhookDocument.example as { alerts: object[] }).alerts
  await send({
    status: 'resolved',
    alerts: [{ ...alert, status: 'resolved', endsAt: '2026-03-02T09:20:00Z' }],
  })
  expect(await open()).toEqual([])
})

test('alerts are acknowledged and silenced over the API', async () => {
  const { api, ask, open } = await asked()
  await ask('admin', '/api/v2/alerts', { method: 'POST', from: '127.0.0.1', body: [posted()] })
  const [{ id }] = await open()
  expect((await api('POST', `/api/alerts/${id}/acknowledge`)).json.acknowledged.by).toMatch(/^operator:/)
  expect((await api('POST', `/api/alerts/${id}/end`)).json.code).toBe('alert_reported')
  const body = {
    matchers: ['job=~"hel.*"'],
    ends_at: new Date(Date.now() + 60_000).toISOString(),
    comment: 'disk',
  }
  const silence = await api('POST', '/api/silences', body)
  expect(silence).toMatchObject({ status: 201, json: { matchers: ['job=~"hel.*"'], state: 'active' } })
  expect((await api('GET', `/api/alerts/${id}`)).json.silenced_by).toEqual([silence.json.id])
  expect((await api('POST', '/api/silences', { ...body, matchers: ['job=~"("'] })).status).toBe(422)
  expect((await api('POST', '/api/silences', { ...body, ends_at: '2020-01-01T00:00:00Z' })).status).toBe(422)
  expect((await api('DELETE', `/api/silences/${silence.json.id}`)).status).toBe(204)
  expect((await api('GET', '/api/silences')).json.items).toEqual([])
  expect((await api('GET', '/api/silences?state=all')).json.items).toMatchObject([{ state: 'ended' }])
})

test('a channel is added, tried, changed and removed, and nothing of its secrets is ever seen again', async () => {
  const { api, ask, log } = await asked()
  const service = await serviceUnderTest()
  const made = await api('POST', '/api/channels', {
    name: 'pager',
    settings: { kind: 'webhook', url: service.url },
  })
  expect(made).toMatchObject({ status: 201, json: { name: 'pager', kind: 'webhook', problem: null } })
  expect(made.json.secret).toMatch(/^[\w-]{43}$/)
  const path = `/api/channels/${made.json.id}`
  expect(
    (await api('POST', '/api/channels', { name: 'pager', settings: { kind: 'slack', url: service.url } }))
      .json.code,
  ).toBe('channel_exists')
  expect((await api('POST', `${path}/test`)).json).toEqual({ ok: true, problem: null })
  expect(service.received.map(({ body }) => JSON.parse(body).status)).toEqual(['firing', 'resolved'])
  await ask('admin', '/api/v2/alerts', { method: 'POST', from: '127.0.0.1', body: [posted()] })
  await until('it is told', () => service.received.length === 3)
  service.answer = () => [410]
  expect((await api('POST', `${path}/test`)).json).toMatchObject({
    ok: false,
    problem: expect.stringContaining('410'),
  })
  const changed = await api('PUT', path, { name: 'pager', settings: { kind: 'slack', url: service.url } })
  expect(changed.json).toMatchObject({ kind: 'slack', secret: null })
  const audit = async (): Promise<string[]> =>
    (await api('GET', '/api/audit')).json.items.map(({ action }: { action: string }) => action)
  await expect
    .poll(audit)
    .toEqual(expect.arrayContaining(['channel.created', 'channel.tested', 'channel.changed']))
  const seen = [await api('GET', '/api/channels'), await api('GET', path), await api('GET', '/api/audit')]
  expect(seen.map(({ text }) => text).join('') + log.text()).not.toMatch(/sentinel-secret/)
  expect((await api('DELETE', path)).status).toBe(204)
  expect((await api('GET', path)).status).toBe(404)
  const clear = {
    kind: 'email',
    host: 'h',
    tls: 'none',
    password: 'x',
    user: 'u',
    from: 'a@b.cc',
    to: ['a@b.cc'],
  }
  expect((await api('POST', '/api/channels', { name: 'mail', settings: clear })).json.errors[0].field).toBe(
    'settings.tls',
  )
})

test('Telegram’s webhook is proven by its secret, and wrong ones are counted', async () => {
  const { api, ask } = await asked()
  const telegram = await telegramUnderTest()
  const settings = telegramSettings(telegram, { updates: 'webhook' })
  const { json } = await api('POST', '/api/channels', { name: 'chat', settings })
  const { url, secret_token } = await until('the webhook is set', () => telegram.webhook)
  expect(url).toContain(`/api/channels/${json.id}/updates`)
  const send = (secret: string, body: object) =>
    ask('admin', `/api/channels/${json.id}/updates`, {
      method: 'POST',
      body,
      headers: { 'x-telegram-bot-api-secret-token': secret },
    })
  const update = {
    update_id: 7,
    message: { message_id: 1, chat: { id: Number(telegram.chat) }, from: { id: 42 }, text: '/status' },
  }
  expect((await send('wrong', update)).status).toBe(403)
  expect((await send(secret_token, { update_id: 'x' })).status).toBe(422)
  expect((await send(secret_token, update)).status).toBe(200)
  expect(telegram.messages.at(-1)?.text).toContain('no open problems')
})

test('a heartbeat that does not come is an alert, and its next beat ends it', async () => {
  const { api, ask, open } = await asked()
  const beat = () => ask('admin', '/api/heartbeats/backup', { method: 'POST', from: '127.0.0.1' })
  expect((await beat()).status).toBe(404)
  expect((await api('PUT', '/api/heartbeats/backup', { every_s: 86_400 })).json).toMatchObject({
    state: 'waiting',
  })
  expect((await beat()).status).toBe(204)
  expect((await api('GET', '/api/heartbeats')).json.items).toMatchObject([{ name: 'backup', state: 'ok' }])
  expect(await open()).toEqual([])
  expect((await api('DELETE', '/api/heartbeats/backup')).status).toBe(204)
})
