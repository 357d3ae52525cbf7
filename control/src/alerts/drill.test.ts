import { expect, onTestFinished, test } from 'vitest'
import { startService } from './channels/service-under-test.ts'
import { webhook } from './channels/webhook.ts'
import { drill } from './drill.ts'

test('a drill fires and is resolved, each alert of it too', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const channel = webhook({ kind: 'webhook', url: service.url, secret: 's' }, 'automat')
  const ended = new AbortController().signal
  const told = await drill(
    channel,
    'automat',
    'http://admin.localhost',
    new Date('2026-03-02T09:00:00Z'),
    ended,
  )
  expect(told).toEqual({ ok: true, problem: null })
  const documents = service.received.map(({ body }) => JSON.parse(body))
  expect(documents.map(({ status, alerts }) => [status, alerts[0].status, alerts[0].endsAt])).toEqual([
    ['firing', 'firing', '0001-01-01T00:00:00Z'],
    ['resolved', 'resolved', '2026-03-02T09:00:00.000Z'],
  ])
})
