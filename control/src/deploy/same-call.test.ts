/** The same call again is the same run: by its key for a day, by its commit for a minute. */
import { FakeClock } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { AgentUnderTest } from '../fleet/under-test.ts'
import { controlUnderTest } from '../under-test.ts'
import { commit, projectUnderTest } from './under-test.ts'

const keyed = (key: string, more = {}) => ({ headers: { 'idempotency-key': key, ...more } })

async function deploying() {
  const clock = new FakeClock(new Date().toISOString())
  const under = await controlUnderTest({}, clock)
  const project = await projectUnderTest(under)
  const agent = new AgentUnderTest(link => under.control.attach(link))
  return { ...under, ...project, clock, agent }
}

test('the same key and body are the same run, whatever came in between; another body is refused', async () => {
  const { push, runs } = await deploying()
  const first = await push(commit(1), keyed('run-7.1'))
  await push(commit(2))
  const again = await push(commit(1), keyed('run-7.1'))
  expect([again.status, again.json.id, again.headers.location]).toEqual([
    202,
    first.json.id,
    first.headers.location,
  ])
  const other = await push(commit(3), keyed('run-7.1'))
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  expect((await push(commit(1), keyed('run-7.2'))).json.id).not.toBe(first.json.id)
  expect(await runs()).toHaveLength(3)
})

test('many at once with one key are one run, and each that waits hears of its end', async () => {
  const { push, agent, runs } = await deploying()
  agent.onOrder = ({ order }) => agent.end(order.id)
  agent.connect()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => push(commit(1), keyed('one', { prefer: 'wait=60' }))),
  )
  expect(new Set(replies.map(({ status, json }) => `${status} ${json.id} ${json.status}`)).size).toBe(1)
  expect(replies[0]!.json.status).toBe('succeeded')
  expect((await push(commit(1), keyed('one', { prefer: 'wait=60' }))).status).toBe(200)
  expect(await runs()).toHaveLength(1)
})

test('a key lasts 24 hours and is one token’s own', async () => {
  const { push, api, clock } = await deploying()
  const { json: second } = await api('/api/projects/hello/tokens', { label: 'other ci' })
  const first = await push(commit(1), keyed('one'))
  const theirs = await push(commit(9), { ...keyed('one'), token: second.token })
  expect([theirs.status, theirs.json.id === first.json.id]).toEqual([202, false])
  clock.advance(24 * 3600 * 1000 - 1)
  expect((await push(commit(1), keyed('one'))).json.id).toBe(first.json.id)
  clock.advance(1)
  const later = await push(commit(1), keyed('one'))
  expect([later.status, later.json.id === first.json.id]).toEqual([202, false])
  expect((await push(commit(1), keyed('one'))).json.id).toBe(later.json.id)
})

test.each(['', 'ü', 'a b', 'x'.repeat(201)])('the key %j is not acceptable', async key => {
  const { push, runs } = await deploying()
  expect((await push(commit(1), keyed(key))).json.code).toBe('invalid_fields')
  expect(await runs()).toEqual([])
})

test('without a key, the same token and commit within 60 s are the same run', async () => {
  const { push, clock, api } = await deploying()
  const { json: second } = await api('/api/projects/hello/tokens', { label: 'other ci' })
  const first = await push(commit(1))
  clock.advance(59_999)
  expect((await push(commit(1))).json.id).toBe(first.json.id)
  clock.advance(1)
  const later = await push(commit(1))
  expect(later.json.id).not.toBe(first.json.id)
  const theirs = await push(commit(1), { token: second.token })
  expect(theirs.json.id).not.toBe(later.json.id)
  // Another run was accepted in between.
  expect((await push(commit(1))).json.id).not.toBe(later.json.id)
})

test('a repeated call is one also when the machine has made a rollback of it', async () => {
  const { push, agent, is } = await deploying()
  agent.onOrder = ({ order }) =>
    agent.end(order.id, {}, { kind: 'rollback', sha: commit(1), ref_sha: commit(1) })
  agent.connect()
  const first = await push(commit(1))
  expect((await is(first.json.id, 'succeeded')).kind).toBe('rollback')
  expect((await push(commit(1))).json.id).toBe(first.json.id)
})

test('a rollback that is repeated with its key is the same one, though there is nothing earlier by now', async () => {
  const { do: act, agent, pushed, is, api } = await deploying()
  agent.onOrder = ({ order }) => {
    const units = { port: null, variables: null, units: [] }
    agent.say({
      type: 'instance',
      instance: { project: 'hello', sha: order.ref, proven_sha: order.ref, ...units },
    })
    agent.end(order.id, {}, { kind: order.kind, sha: order.ref, ref_sha: order.ref })
  }
  agent.connect()
  await is(await pushed(commit(1)), 'succeeded')
  await is(await pushed(commit(2)), 'succeeded')
  const first = await act('rollback', { hold: true }, keyed('back'))
  expect((await is(first.json.id, 'succeeded')).sha).toBe(commit(1))
  await act('resume')
  const again = await act('rollback', { hold: true }, keyed('back'))
  expect([again.status, again.json.id]).toEqual([202, first.json.id])
  expect((await api('/api/projects/hello')).json.held).toBe(false)
  expect((await act('rollback')).json.code).toBe('nothing_earlier')
})
