/** The webhook's answers before the body is read, in their order: checks before each pass, those after it fail. */
import { connect } from 'node:net'
import { FakeClock } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

const { limits } = loadConfig({ home: '/nowhere' })
const megabyte = 'not JSON '.repeat(120_000)
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const seen = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code]

test('429 comes first, when too many bad tokens came from the address', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const under = await controlUnderTest({ limits: { ...limits, bad_tokens_per_minute: 2 } }, clock)
  const { push, token } = await projectUnderTest(under)
  const from = '203.0.113.66'
  for (let i = 0; i < 2; i++) await push('x', { token: 'wrong', from })
  for (const sent of ['wrong', token]) {
    const refused = await push('x', { token: sent, from, body: undefined, headers: form })
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_bad_tokens', '60'])
  }
  expect((await push(commit(1))).status).toBe(202)
})

test('401 for no token, a wrong, expired or revoked one: one answer, before the body is read', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const under = await controlUnderTest({ limits: { ...limits, deploys_per_minute: 1 } }, clock)
  const { api, push, ask } = { ...under, ...(await projectUnderTest(under)) }
  const soon = new Date(clock.now().getTime() + 1000).toISOString()
  const { json: expiring } = await api('/api/projects/hello/tokens', { label: 'a', expires_at: soon })
  const { json: revoked } = await api('/api/projects/hello/tokens', { label: 'b' })
  await api(`/api/tokens/${revoked.id}`, undefined, { method: 'DELETE' })
  clock.advance(2000)
  const replies = []
  for (const token of ['wrong', 'qd_deploy_'.padEnd(53, 'x'), expiring.token, revoked.token]) {
    replies.push(await push('x', { token, body: megabyte, headers: form }))
  }
  for (const reply of replies) {
    expect(seen(reply)).toEqual([401, 'unauthenticated'])
    expect(reply.text).toBe(replies[0]!.text)
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer/)
  }
  const none = await ask('admin', '/api/deploy/hello', { method: 'POST', body: 'x', headers: form })
  expect(seen(none)).toEqual([401, 'unauthenticated'])
  // The body is announced and never sent: the answer comes all the same.
  const answer = await rawAnswer(under.port, [
    'POST /api/deploy/hello HTTP/1.1',
    'Host: admin',
    'Authorization: Bearer wrong',
    'X-Forwarded-For: 203.0.113.9',
    'X-Forwarded-Proto: https',
    'Content-Type: application/json',
    'Content-Length: 1000000',
  ])
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
})

test('429 for too many calls with a token, also where 403 would follow; Retry-After says when it goes on', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const under = await controlUnderTest({ limits: { ...limits, deploys_per_minute: 2 } }, clock)
  const { push, token } = await projectUnderTest(under)
  const other = await projectUnderTest(under, 'other')
  await push(commit(1))
  expect(seen(await other.push('x', { token }))).toEqual([403, 'forbidden'])
  clock.advance(20_000)
  for (const project of ['hello', 'other', 'nowhere']) {
    const refused = await under.ask('admin', `/api/deploy/${project}`, { method: 'POST', token, body: 'x' })
    expect([...seen(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_calls', '40'])
  }
  expect((await other.push(commit(1))).status).toBe(202)
  clock.advance(40_000)
  expect((await push(commit(1))).status).toBe(202)
})

test('403 for another project’s token, and the very same bytes for a project that does not exist', async () => {
  const under = await controlUnderTest()
  const { token } = await projectUnderTest(under)
  await projectUnderTest(under, 'other')
  const replies = []
  for (const path of ['other', 'nowhere', 'No_Name', '%2e%2e']) {
    replies.push(
      await under.ask('admin', `/api/deploy/${path}`, {
        method: 'POST',
        token,
        body: megabyte,
        headers: form,
      }),
    )
  }
  for (const reply of replies) {
    expect(seen(reply)).toEqual([403, 'forbidden'])
    expect(reply.text).toBe(replies[0]!.text)
  }
  const body = { ref: commit(1), project: 'acme/hello' }
  const operator = await under.ask('admin', '/api/deploy/nowhere', {
    method: 'POST',
    token: under.token,
    body,
  })
  expect(operator.text).toBe(replies[0]!.text)
})

/** What comes back to a request whose body never comes. */
function rawAnswer(port: number, lines: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
  socket.once('data', data => resolve(data.toString()))
  socket.once('error', reject)
  onTestFinished(() => void socket.destroy())
  return promise
}
