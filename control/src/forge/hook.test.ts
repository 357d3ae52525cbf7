/** A forge’s webhook, over HTTP: what it is answered. */
import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { commit, projectUnderTest } from '../deploy/under-test.ts'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { hookUnderTest, pushOf, sign, zeros } from './under-test.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(commit) as [string, string, string, string]
const { limits } = loadConfig({ home: '/nowhere' })
async function hooked(change: Partial<typeof limits> = {}, clock?: FakeClock) {
  const under = await controlUnderTest({ limits: { ...limits, ...change } }, clock)
  const project = await projectUnderTest(under)
  const hook = await hookUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link)).connect()
  return { under, ...project, ...hook, agent }
}

const seen = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code]

test('a signed push starts a run of what was pushed, by who pushed it', async () => {
  const { deliver, agent, under } = await hooked()
  const { status, json, headers } = await deliver(pushOf(a, b))
  expect(status).toBe(202)
  expect(json).toMatchObject({ project: 'hello', kind: 'deploy', ref: b, trigger: { by: 'github:ana' } })
  expect(headers.location).toMatch(new RegExp(`/api/runs/${json.id}$`))
  const { order } = await agent.ordered(json.id)
  expect(order).toMatchObject({
    ref: b,
    only_for: { since: [a], paths: ['app/', 'deploy/', 'requirements.txt'] },
  })
  const newest = async () => (await under.ask('admin', '/api/audit', { token: under.token })).json.items[0]
  await expect.poll(newest).toMatchObject({ action: 'run.accepted', by: 'github:ana', from: '203.0.113.9' })
})

test('Gitea and Forgejo are known by their headers and their bare signature', async () => {
  const { deliver, secret } = await hooked()
  const from = async (name: string, headers: Record<string, string>, after: string) => {
    const push = pushOf(a, after, { pusher: { login: 'bo', username: 'bo', full_name: 'Bo' } })
    const bare = { [`x-${name}-signature`]: sign(JSON.stringify(push), secret()) }
    return deliver(push, { signature: null, headers: { ...headers, ...bare } })
  }
  expect((await from('gitea', { 'x-gitea-event': 'push' }, b)).json.trigger.by).toBe('gitea:bo')
  const forgejo = { 'x-gitea-event': 'push', 'x-forgejo-event': 'push' }
  expect((await from('forgejo', forgejo, c)).json.trigger.by).toBe('forgejo:bo')
})

test('a wrong signature, none, an unknown project and one without a hook get the very same answer', async () => {
  const { deliver, under, rotate, secret } = await hooked()
  await projectUnderTest(under, 'other')
  const former = secret()
  await rotate()
  const push = JSON.stringify(pushOf(a, b))
  const replies = [
    await deliver(push, { signature: `sha256=${'0'.repeat(64)}` }),
    await deliver(push, { signature: `sha256=${sign(push, former)}` }),
    await deliver(push, { signature: `sha256=${sign(`${push} `, secret())}` }),
    await deliver(push, { signature: `sha256=${sign(push, 'no secret')}`, name: 'nowhere' }),
    await deliver(push, { signature: `sha1=${sign(push, secret())}` }),
    await deliver(push, { signature: 'sha256=' }),
    await deliver(push, { signature: null }),
    await deliver(push, { name: 'other' }),
    await deliver(push, { name: 'nowhere' }),
    await deliver(push, { name: 'No_Name' }),
    await deliver('not JSON', { signature: null, event: null, delivery: null, type: 'text/plain' }),
  ]
  for (const reply of replies) {
    expect(seen(reply)).toEqual([403, 'bad_signature'])
    expect(reply.text).toBe(replies[0]!.text)
  }
  expect((await deliver(push)).status).toBe(202)
})

test('who guesses signatures is told to wait, and others are not', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const { deliver } = await hooked({ bad_tokens_per_minute: 2 }, clock)
  const from = '203.0.113.66'
  for (let i = 0; i < 2; i++) await deliver(pushOf(a, b), { signature: null, from })
  const refused = await deliver(pushOf(a, b), { from })
  expect([...seen(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_bad_tokens', '60'])
  expect((await deliver(pushOf(a, b))).status).toBe(202)
  clock.advance(60_000)
  expect((await deliver(pushOf(b, c), { from })).status).toBe(202)
})

test('a delivery that comes again, or its body under another name, is the same run', async () => {
  const { deliver, runs, agent } = await hooked()
  const push = pushOf(a, b)
  const first = await deliver(push, { delivery: 'x-1' })
  await agent.ordered(first.json.id)
  agent.end(first.json.id)
  const again = await deliver(push, { delivery: 'x-1' })
  const renamed = await deliver(push, { delivery: 'x-2' })
  const changed = await deliver(pushOf(b, c), { delivery: 'x-1' })
  for (const reply of [again, renamed, changed]) {
    expect([reply.status, reply.json.id, reply.headers.location]).toEqual([
      202,
      first.json.id,
      first.headers.location,
    ])
  }
  expect(await runs()).toHaveLength(1)
  expect((await deliver(pushOf(b, c), { delivery: 'x-3' })).json.id).not.toBe(first.json.id)
})

test('many deliveries of one push at once are one run', async () => {
  const { deliver, runs } = await hooked()
  const replies = await Promise.all(Array.from({ length: 10 }, () => deliver(pushOf(a, b))))
  expect(new Set(replies.map(({ json }) => json.id)).size).toBe(1)
  expect(await runs()).toHaveLength(1)
})

test('what is not a push to the branch is ignored, with the reason', async () => {
  const { deliver, runs } = await hooked()
  const why = async (payload: unknown, event = 'push') => {
    const { status, json } = await deliver(payload, { event })
    return [status, json.ignored]
  }
  expect(await why({ zen: 'Keep it logically awesome.', hook_id: 1 }, 'ping')).toEqual([
    200,
    'A ping: the webhook is set up well.',
  ])
  expect(await why({ action: 'opened' }, 'issues')).toEqual([
    200,
    'Only pushes are deployed; other events need not be sent.',
  ])
  expect(await why(pushOf(a, b, { ref: 'refs/heads/feature/x' }))).toEqual([
    200,
    'The push is to feature/x, and hello is deployed from main.',
  ])
  expect(await why(pushOf(zeros, b, { ref: 'refs/tags/main' }))).toEqual([
    200,
    'main is a tag, and hello is deployed from the branch main.',
  ])
  expect(await why(pushOf(a, zeros, { deleted: true }))).toEqual([
    200,
    'main was deleted: what runs of hello stays as it is.',
  ])
  expect(await why(pushOf(a, zeros))).toMatchObject([200, expect.stringContaining('was deleted')])
  expect(await why(pushOf(a, b, { ref: 'refs/notes/x' }))).toMatchObject([200, expect.any(String)])
  expect(await runs()).toHaveLength(0)
})

test('an ignored push counts when it is sent again after the branch was corrected', async () => {
  const { deliver, api } = await hooked()
  const push = pushOf(a, b, { ref: 'refs/heads/trunk' })
  expect((await deliver(push, { delivery: 'x' })).status).toBe(200)
  await api('/api/projects/hello', { branch: 'trunk' }, { method: 'PATCH' })
  expect((await deliver(push, { delivery: 'x' })).status).toBe(202)
})

test('another repository is refused; letter case aside, earlier names allowed', async () => {
  const { deliver, api, runs } = await hooked()
  const from = (full_name: string, after: string) => deliver(pushOf(a, after, { repository: { full_name } }))
  const refused = await from('acme/other', b)
  expect(seen(refused)).toEqual([422, 'invalid_fields'])
  expect(refused.json.errors).toEqual([
    { field: 'repository.full_name', message: 'must be this project’s repository' },
  ])
  expect(await runs()).toHaveLength(0)
  expect((await from('ACME/Hello', b)).status).toBe(202)
  await api('/api/projects/hello', { repository: 'acme/renamed' }, { method: 'PATCH' })
  expect((await from('acme/hello', c)).status).toBe(202)
})

test('a new branch is new in everything: nothing is compared', async () => {
  const { deliver, agent } = await hooked()
  const { json } = await deliver(pushOf(zeros, b, { created: true }))
  expect((await agent.ordered(json.id)).order).not.toHaveProperty('only_for')
})

test('a clamped payload is as good as a whole one: its list of commits is not looked at', async () => {
  const { deliver, agent } = await hooked()
  const commits = Array.from({ length: 20 }, (_, n) => ({ id: commit(100 + n), modified: ['README.md'] }))
  const { json } = await deliver(pushOf(a, b, { commits, size: 300, distinct_size: 300 }))
  expect((await agent.ordered(json.id)).order.only_for).toMatchObject({ since: [a] })
  const large = { commits: Array.from({ length: 2048 }, () => ({ id: a, message: 'x'.repeat(2000) })) }
  expect((await deliver(pushOf(b, c, large))).status).toBe(202)
})

test('the form that GitHub can send holds the same; other types are told what to choose', async () => {
  const { deliver } = await hooked()
  const form = new URLSearchParams({ payload: JSON.stringify(pushOf(a, b)) }).toString()
  const type = 'application/x-www-form-urlencoded'
  expect((await deliver(form, { type })).json.ref).toBe(b)
  const other = await deliver(pushOf(a, c), { type: 'text/plain' })
  expect([...seen(other), other.json.detail]).toEqual([
    415,
    'unsupported_media_type',
    'Choose application/json as the content type of the webhook at the forge.',
  ])
})

test('a body that is too large, no JSON, or without its fields or headers is refused', async () => {
  const { deliver, runs } = await hooked()
  expect(seen(await deliver('x'.repeat(8 * 1024 * 1024 + 1)))).toEqual([413, 'body_too_large'])
  expect(seen(await deliver('{"ref":'))).toEqual([400, 'invalid_json'])
  expect(seen(await deliver(''))).toEqual([400, 'invalid_json'])
  expect(seen(await deliver('payload=', { type: 'application/x-www-form-urlencoded' }))).toEqual([
    400,
    'invalid_json',
  ])
  for (const not of [
    [],
    'x',
    null,
    {},
    pushOf('main', b),
    pushOf(a, `${b}; rm`),
    { ...pushOf(a, b), repository: 1 },
  ])
    expect(seen(await deliver(JSON.stringify(not)))).toEqual([422, 'invalid_fields'])
  const noEvent = await deliver(pushOf(a, b), { event: null })
  expect([...seen(noEvent), noEvent.json.errors[0].field]).toEqual([422, 'invalid_fields', 'X-GitHub-Event'])
  for (const delivery of [null, 'x'.repeat(101), 'with space']) {
    const { json } = await deliver(pushOf(a, b), { delivery })
    expect(json.errors[0].field).toBe('X-GitHub-Delivery')
  }
  expect(await runs()).toHaveLength(0)
})

test('the name of who pushed is data: one line, limited, without secrets', async () => {
  const { deliver } = await hooked()
  const by = async (pusher: unknown, after: string) =>
    (await deliver(pushOf(a, after, { pusher }))).json.trigger.by
  expect(await by({ name: `eve\u001b[2J\n\u202e${'x'.repeat(100)}` }, b)).toBe(
    `github:eve[2J${'x'.repeat(54)}`,
  )
  expect(await by({ name: `qd_deploy_${'s'.repeat(43)}` }, c)).toBe('github:qd_deploy_***')
  expect(await by(null, d)).toBe('github:somebody')
})

test('a hook that is called too often has to wait', async () => {
  const clock = new FakeClock(new Date().toISOString())
  const { deliver } = await hooked({ deploys_per_minute: 2 }, clock)
  for (const after of [b, c]) await deliver(pushOf(a, after))
  const refused = await deliver(pushOf(a, d))
  expect([...seen(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_calls', '60'])
})
