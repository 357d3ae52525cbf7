import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { controlUnderTest } from '../under-test.ts'
import { serviceUnderTest } from './under-test.ts'

const alert = (job: string, more: object = {}) => ({
  labels: { alertname: 'ServiceDown', job, severity: 'critical' },
  annotations: { summary: `${job} is down` },
  ...more,
})

test('the window of a maintenance mutes its services alone; what still fires then is told, and every end of what was told', async () => {
  const { ask, token } = await controlUnderTest()
  const call = (method: string, path: string, body?: unknown) => ask('admin', path, { method, token, body })
  const report = (...alerts: object[]) =>
    ask('admin', '/api/v2/alerts', { method: 'POST', from: '127.0.0.1', body: alerts })
  const service = await serviceUnderTest()
  await call('POST', '/api/channels', { name: 'on-call', settings: { kind: 'slack', url: service.url } })
  const texts = () => service.received.map(({ body }) => JSON.parse(body).text.replace(/^\*|\*$/g, ''))
  const told = (text: string) => until(text, () => texts().includes(text), 30_000)
  const isMaintained = async () => {
    const { services } = (await ask('status', '/status.json')).json as {
      services: { id: string; status: string }[]
    }
    return services.find(({ id }) => id === 'docs')?.status === 'maintenance'
  }
  const maintain = async (): Promise<string> => {
    const [starts_at, ends_at] = [0, 3_600_000].map(inMs => new Date(Date.now() + inMs).toISOString())
    const wanted = { name: 'Disks', starts_at, ends_at, service_ids: ['docs'] }
    const { json } = await call('POST', '/api/maintenances', wanted)
    await until('it is under way', isMaintained)
    return json.id
  }

  await until(
    'there are services',
    async () => (await ask('status', '/status.json')).json.services.length > 0,
  )
  const first = await maintain()
  await report(alert('docs'))
  await report(alert('status'))
  await told('🔴 CRITICAL · status is down')
  expect(texts()).toEqual(['🔴 CRITICAL · status is down'])
  await call('POST', `/api/maintenances/${first}/updates`, { status: 'completed', body: 'Done.' })
  await told('🔴 CRITICAL · docs is down')

  await maintain()
  const endsAt = new Date().toISOString()
  await report(alert('docs', { endsAt }))
  await told('✅ RESOLVED · docs is down')
  // What nobody has heard of ends unheard.
  await report(alert('docs', { labels: { alertname: 'Slow', job: 'docs', severity: 'critical' } }))
  await report(
    alert('docs', { labels: { alertname: 'Slow', job: 'docs', severity: 'critical' }, endsAt }),
    alert('status', { endsAt }),
  )
  await told('✅ RESOLVED · status is down')
  expect(texts()).toHaveLength(4)
})
