import { describe, expect, test } from 'vitest'
import { maskSecrets } from './secrets.ts'
import { tokenKinds } from './token.ts'

const secret = '3q2-7wAAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk'

describe.each([...tokenKinds, 'hook'])('a %s token is masked', kind => {
  const token = `qd_${kind}_${secret}`
  const masked = `qd_${kind}_***`

  test.each([
    ['alone', token, masked],
    ['in a sentence', `Bad token ${token}.`, `Bad token ${masked}.`],
    ['in JSON', JSON.stringify({ token, label: 'x' }), JSON.stringify({ token: masked, label: 'x' })],
    [
      'in JSON inside JSON',
      JSON.stringify(JSON.stringify({ token })),
      JSON.stringify(JSON.stringify({ token: masked })),
    ],
    ['in a URL’s path', `https://x.test/hook/${token}/go?a=1`, `https://x.test/hook/${masked}/go?a=1`],
    ['in a query', `https://x.test/?token=${token}&a=1`, `https://x.test/?token=${masked}&a=1`],
    ['twice', `${token} ${token}`, `${masked} ${masked}`],
    ['cut short', token.slice(0, -20), masked],
    ['glued to a word', `TOKEN=${token}`, `TOKEN=${masked}`],
  ])('%s', (_where, text, expected) => {
    expect(maskSecrets(text)).toBe(expected)
  })
})

const pem = ['-----BEGIN OPENSSH PRIVATE KEY-----', 'b3BlbnNzaC1r', '-----END OPENSSH PRIVATE KEY-----'].join(
  '\n',
)

test.each([
  ['whole', `a ${pem} z`],
  ['in JSON', JSON.stringify({ pem })],
  ['cut short', pem.slice(0, -40)],
])('a private key is masked: %s', (_how, text) => {
  expect(maskSecrets(text)).toContain('-----BEGIN OPENSSH PRIVATE KEY-----***')
  expect(maskSecrets(text)).not.toContain('b3Blbn')
})

test.each([
  ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer ***'],
  ['authorization: bearer eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl', 'authorization: bearer ***'],
  ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic ***'],
  ['{"authorization":"Basic dXNlcjpwYXNzd29yZA=="}', '{"authorization":"Basic ***"}'],
  [`Bearer qd_deploy_${secret}`, 'Bearer ***'],
  [
    JSON.stringify(JSON.stringify({ authorization: 'Basic abcd' })),
    '"{\\"authorization\\":\\"Basic ***\\"}"',
  ],
])('the Authorization value in %s is masked', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected)
})

test.each([
  ['postgresql://ana:hunter2@db.test:5432/quarterdeck', 'postgresql://ana:***@db.test:5432/quarterdeck'],
  ['postgres://ana:p%40ss%2Fword@db.test/x', 'postgres://ana:***@db.test/x'],
  ['postgres://ana:a:b@db.test/x', 'postgres://ana:***@db.test/x'],
  ['postgres://ana:p@ss@db.test/x', 'postgres://ana:***@db.test/x'],
  ['postgres://ana@db.test/x?a=b&password=hunter2&c=d', 'postgres://ana@db.test/x?a=b&password=***&c=d'],
  ['redis://:hunter2@cache.test', 'redis://:***@cache.test'],
  ['clone https://ana:hunter2@git.test/a/b.git failed', 'clone https://ana:***@git.test/a/b.git failed'],
  ['{"url":"postgres://ana:hunter2@db.test/x"}', '{"url":"postgres://ana:***@db.test/x"}'],
  [
    'git+ssh://ana:hunter2@git.test, amqp://b:hunter2@mq.test',
    'git+ssh://ana:***@git.test, amqp://b:***@mq.test',
  ],
])('the password in %s is masked', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected)
})

test.each([
  'The home /var/lib/quarterdeck cannot be written.',
  'Port 8300 on 0.0.0.0 cannot be used: another program listens on it.',
  'http://admin.localhost:8300/api/tokens?limit=5',
  'postgresql://ana@db.test:5432/quarterdeck',
  'git@github.com:acme/hello.git',
  'ana@example.com asked at 10:30:00',
  'qd_operator_token is the name of a column',
  '{"type":"http://docs.localhost:8300/errors/not_found","request_id":"019a8f5e-6c1b-7d3a-9f10-2b8c4d5e6f70"}',
  'deploy 4f0c2ad1e9b7c3558c5f6a1d2b3e4f5061728394 by token:ci',
  'The basic configuration is not valid; basic authentication is off.',
  'Bearer authentication, a bearer certificate, Basic Authentication',
  'Send `Authorization: Bearer <token>`.',
  '',
])('%s is left as it is', text => {
  expect(maskSecrets(text)).toBe(text)
})

test('masking what is masked changes nothing', () => {
  const once = maskSecrets(`qd_join_${secret} postgres://a:b@c Bearer ${secret}`)
  expect(once).toBe('qd_join_*** postgres://a:***@c Bearer ***')
  expect(maskSecrets(once)).toBe(once)
})

test('a long line takes no longer than its length', () => {
  // Of the processor: what else the machine does must not count.
  const before = process.cpuUsage()
  for (const piece of ['a.', 'a://', 'basic ', 'authorization:', 'qd_join_'])
    maskSecrets(piece.repeat(50_000))
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000)
})

test('tokens of GitHub are masked, and words that begin like them are not', () => {
  expect(maskSecrets('ghp_abcdefghij0123 and github_pat_11ABC_defghijk.')).toBe('ghp_*** and github_pat_***.')
  expect(maskSecrets('high_availability ghost_writer')).toBe('high_availability ghost_writer')
})

test('the token of a bot and the address of an incoming webhook are masked, wherever they stand', () => {
  const bot = '123456789:AAExampleExampleExampleExampleExample'
  expect(maskSecrets(`POST https://api.telegram.org/bot${bot}/sendMessage`)).toBe(
    'POST https://api.telegram.org/bot123456789:***/sendMessage',
  )
  expect(maskSecrets(`token ${bot}`)).toBe('token 123456789:***')
  expect(maskSecrets('https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX')).toBe(
    'https://hooks.slack.com/***',
  )
  expect(maskSecrets('at 1772442900:2 of 12:30:00')).toBe('at 1772442900:2 of 12:30:00')
})
