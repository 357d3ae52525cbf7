import {
  type Alert,
  alertDocument,
  channelCreatedDocument,
  channelDocument,
  heartbeatDocument,
  silenceDocument,
} from '@quarterdeck/contract'
import { expect, test } from 'vitest'
import { qd, standIn, startQd } from '../under-test.ts'

const alert = { ...(alertDocument.example as Alert), acknowledged: null }
const page = (item: unknown) => () => ({ items: [item], next_cursor: null })
const channel = channelDocument.example as { id: string }
const token = '123456789:AAsentinel-sentinel-sentinel-sentinel'

const routes = {
  'GET /api/alerts': page(alert),
  [`GET /api/alerts/${alert.id}`]: () => alert,
  [`POST /api/alerts/${alert.id}/acknowledge`]: () => alertDocument.example,
  'POST /api/silences': () => silenceDocument.example,
  'GET /api/silences': page(silenceDocument.example),
  [`DELETE /api/silences/${(silenceDocument.example as { id: string }).id}`]: () => undefined,
  'GET /api/channels': page(channel),
  'POST /api/channels': () => ({
    ...(channelCreatedDocument.example as object),
    secret: 'shown-once-shown-once',
  }),
  [`PUT /api/channels/${channel.id}`]: () => channelCreatedDocument.example,
  [`POST /api/channels/${channel.id}/test`]: () => ({
    ok: false,
    problem: 'Telegram answered 401: the token is wrong.',
  }),
  [`DELETE /api/channels/${channel.id}`]: () => undefined,
  'GET /api/heartbeats': page(heartbeatDocument.example),
  'PUT /api/heartbeats/nightly-backup': () => heartbeatDocument.example,
}

test('alerts are listed, shown and acknowledged by a short id', async () => {
  const { home, asked } = await standIn(routes)
  const listed = await qd('alert', 'list', '--home', home)
  expect(listed.stdout).toContain('critical')
  expect(listed.stdout).toContain('hello is down')
  const id = alert.id.slice(-8)
  const shown = await qd('alert', 'show', id, '--home', home)
  expect(shown.stdout).toContain('job=hello')
  const done = await qd('alert', 'ack', id, '--comment', 'on it', '--home', home)
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Acknowledged until it ends: hello is down'),
  })
  expect(asked.at(-1)?.body).toEqual({ comment: 'on it' })
})

test('a silence says what, how long and why', async () => {
  const { home, asked } = await standIn(routes)
  expect((await qd('silence', 'add', 'job=hello', '--for', '1h', '--home', home)).code).toBe(2)
  const made = await qd(
    'silence',
    'add',
    'job=hello',
    'severity=~"warning|info"',
    '--for',
    '1h',
    '--comment',
    'disk',
    '--home',
    home,
  )
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Silenced until') })
  expect(asked.at(-1)?.body).toMatchObject({
    matchers: ['job=hello', 'severity=~"warning|info"'],
    comment: 'disk',
  })
  expect((await qd('silence', 'list', '--home', home)).stdout).toContain('the disk is')
  const removed = await qd(
    'silence',
    'remove',
    (silenceDocument.example as { id: string }).id.slice(-8),
    '--home',
    home,
  )
  expect(removed.code).toBe(0)
})

test('a channel’s secret comes by standard input and nothing else; a drill that fails is an error', async () => {
  const { home, asked } = await standIn(routes)
  const args = [
    'channel',
    'add',
    'on-call',
    'telegram',
    '--chat',
    '-1001',
    '--user',
    '42',
    '--severity',
    'critical',
  ]
  expect(await qd(...args, '--home', home)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--secret-stdin'),
  })
  expect(asked).toEqual([])
  const done = await startQd([...args, '--secret-stdin', '--home', home], {}, `${token}\n`).ended
  expect(done).toMatchObject({ code: 0, stdout: 'shown-once-shown-once\n' })
  expect(done.stdout + done.stderr).not.toContain('sentinel')
  expect(asked[0]?.body).toMatchObject({
    name: 'on-call',
    routes: { severities: ['critical'] },
    settings: { kind: 'telegram', token, chat_id: '-1001', users: ['42'] },
  })
  expect(await qd('channel', 'test', 'on-call', '--home', home)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('the token is wrong'),
  })
  expect((await qd('channel', 'list', '--home', home)).stdout).toContain('chat -1001234567890')
  expect(await qd('channel', 'remove', 'on-call', '--home', home)).toMatchObject({ code: 3 })
  expect((await qd('channel', 'remove', 'on-call', '--yes', '--home', home)).code).toBe(0)
})

test('mail without a user needs no secret, and what is missing is named', async () => {
  const { home, asked } = await standIn(routes)
  const args = [
    'channel',
    'add',
    'mail',
    'email',
    '--host',
    'mail.example.com',
    '--from',
    'qd@example.com',
    '--home',
    home,
  ]
  expect(await qd(...args)).toMatchObject({ code: 3, stderr: expect.stringContaining('--to is missing') })
  expect((await qd(...args, '--to', 'ops@example.com')).code).toBe(0)
  expect(asked[0]?.body).toMatchObject({
    settings: { kind: 'email', password: null, to: ['ops@example.com'] },
  })
})

test('heartbeats are expected and listed', async () => {
  const { home, asked } = await standIn(routes)
  expect((await qd('heartbeat', 'set', 'nightly-backup', '--every', '1d', '--home', home)).code).toBe(0)
  expect(asked[0]?.body).toEqual({ every_s: 86_400 })
  expect((await qd('heartbeat', 'list', '--home', home)).stdout).toContain('nightly-backup')
})
