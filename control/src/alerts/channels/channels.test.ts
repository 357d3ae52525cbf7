import { createHmac } from 'node:crypto'
import { alertmanagerWebhook, emailSettings } from '@quarterdeck/contract'
import { describe, expect, test } from 'vitest'
import { serviceUnderTest, telegramSettings, telegramUnderTest } from '../under-test.ts'
import { mailOf } from './email.ts'
import { ask, objectionTo } from './outgoing.ts'
import { slack } from './slack.ts'
import { channelSuite, noticeOf } from './suite.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

const live = new AbortController().signal
const facts = [
  'hello is down',
  'critical',
  '2026-03-02 09:15 UTC',
  'connect',
  '4f0c2ad1e9b7',
  'token:ci',
  '12 min ago',
  'shop',
]

channelSuite('telegram', async () => {
  const bot = await telegramUnderTest()
  return {
    channel: telegram(telegramSettings(bot)),
    arrived: async () => bot.messages.map(({ text }) => text),
    fail: () => {
      bot.trouble = () => ({ code: 500, description: 'Internal Server Error' })
    },
  }
}, [...facts, '<b>&"\'*_`[x](y) שלום @channel'])

channelSuite('slack', async () => {
  const service = await serviceUnderTest()
  return {
    channel: slack({ kind: 'slack', url: service.url }),
    arrived: async () =>
      service.received
        .map(({ body }) => JSON.parse(body))
        .map(({ text, attachments }) =>
          [text, ...attachments.map(({ text }: { text: string }) => text)].join('\n'),
        ),
    fail: () => {
      service.answer = () => [503]
    },
  }
}, [...facts, '&lt;b&gt;&amp;', '<https://docs.example.com/hello|Runbook>', '@\u2060channel'])

channelSuite('webhook', async () => {
  const service = await serviceUnderTest()
  return {
    channel: webhook({ kind: 'webhook', url: service.url, secret: 'a-secret-of-sixteen' }, 'pager'),
    arrived: async () => service.received.map(({ body }) => body),
    fail: () => {
      service.answer = () => [429, { 'retry-after': '7' }]
    },
  }
}, ['"status":"firing"', '"summary":"hello is down"', '"severity":"critical"', '"truncatedAlerts":0'])

test('a webhook gets Alertmanager’s document, signed over the time and the bytes', async () => {
  const service = await serviceUnderTest()
  const secret = 'a-secret-of-sixteen'
  await webhook({ kind: 'webhook', url: service.url, secret }, 'pager').show([], noticeOf(), live)
  const { body, headers } = service.received[0]!
  expect(alertmanagerWebhook.parse(JSON.parse(body))).toMatchObject({
    receiver: 'pager',
    groupKey: '{}:{alertname="ServiceDown", job="hello"}',
    commonLabels: { job: 'hello' },
    externalURL: 'https://admin.example.com',
  })
  const [, at, signature] =
    String(headers['x-quarterdeck-signature']).match(/^t=(\d+),v1=([0-9a-f]{64})$/) ?? []
  expect(signature).toBe(createHmac('sha256', secret).update(`${at}.${body}`).digest('hex'))
  expect(headers['idempotency-key']).toBe(`${noticeOf().problemId}/1/opened`)
})

describe('an answer', () => {
  test.each([
    [[204], { what: 'sent' }],
    [[429, { 'retry-after': '7' }], { what: 'again', afterMs: 7000 }],
    [[500], { what: 'again', lasting: false }],
    [[302, { location: 'http://169.254.169.254/' }], { what: 'again', lasting: true }],
    [[404], { what: 'again', lasting: true }],
    [[400], { what: 'never' }],
  ] as [[number, Record<string, string>?], object][])('%o', async (answer, outcome) => {
    const service = await serviceUnderTest()
    service.answer = () => answer
    expect(await slack({ kind: 'slack', url: service.url }).show([], noticeOf(), live)).toMatchObject(outcome)
    expect(service.received).toHaveLength(1)
  })

  test('that does not come is waited for no longer than its limit', async () => {
    const service = await serviceUnderTest()
    service.answer = () => 'hang'
    await expect(ask(service.url, { body: '', limitMs: 50, ended: live })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

test('what is link-local is never asked, and what is far away only by https', async () => {
  expect(
    [
      '169.254.169.254',
      '100.100.100.200',
      'fd00:ec2::254',
      'fe80::1',
      '::ffff:169.254.169.254',
      '0.0.0.0',
      '224.0.0.1',
    ].map(a => objectionTo(a, false)),
  ).not.toContain(undefined)
  expect(['10.0.0.7', '127.0.0.1', '::1', 'fd00::1', '192.168.1.1'].map(a => objectionTo(a, true))).toEqual(
    Array(5).fill(undefined),
  )
  expect(objectionTo('203.0.113.9', true)).toContain('use https')
  expect(objectionTo('203.0.113.9', false)).toBeUndefined()
  const refused = await slack({ kind: 'slack', url: 'http://[::ffff:a9fe:a9fe]/sentinel' }).show(
    [],
    noticeOf(),
    live,
  )
  expect(refused).toMatchObject({ what: 'again', lasting: true })
})

test('a mail is part of a conversation, and no text makes another header', () => {
  const settings = emailSettings.parse({
    kind: 'email',
    host: 'mail.example.com',
    from: 'qd@example.com',
    to: ['ops@example.com'],
  })
  const { problemId } = noticeOf()
  expect(mailOf(settings, noticeOf())).toMatchObject({ messageId: `<${problemId}@example.com>` })
  const resolved = mailOf(settings, noticeOf({ telling: 'resolved', state: 'resolved', version: 3 }))
  expect(resolved).toMatchObject({
    messageId: `<${problemId}.3.resolved@example.com>`,
    inReplyTo: `<${problemId}@example.com>`,
  })
  expect(() =>
    emailSettings.parse({ kind: 'email', host: 'h', from: 'a@b.c\r\nBcc: x@y.z', to: ['ops@example.com'] }),
  ).toThrow()
})
