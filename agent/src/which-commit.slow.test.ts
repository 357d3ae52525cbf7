/** Which commit a run puts in place, through real runs on a real repository. */
import { renameSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

let number = 0
const another = (here: AgentUnderTest) => here.commit('good', { 'README.md': `${++number}` })

test('a commit that is not on the branch fails the run and changes nothing', async () => {
  await using here = await agentUnderTest()
  const sha = await here.deployGood()
  const before = await here.version()
  here.remote.git('checkout', '--quiet', '-b', 'feature')
  const ref = another(here)
  here.remote.git('checkout', '--quiet', 'main')
  const ended = await here.deploy({ ref })
  expect(ended).toMatchObject({ status: 'failed', error: { code: 'ref_not_on_main' } })
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(sha)
})

test('the commit that runs is deployed again, restart included', async () => {
  await using here = await agentUnderTest()
  const sha = await here.deployGood()
  const before = await here.version()
  expect(await here.deploy({ ref: sha, sent_before: [sha] })).toMatchObject({ status: 'succeeded' })
  const after = await here.version()
  expect(after.sha).toBe(sha)
  expect(after.pid).not.toBe(before.pid)
})

test('when the commit that runs is sent again and the branch has moved on, the branch is deployed', async () => {
  await using here = await agentUnderTest()
  const sha = await here.deployGood()
  const newest = another(here)
  const { progress } = await here.deploy({ ref: sha, sent_before: [sha] })
  expect(progress).toMatchObject({ kind: 'deploy', ref_sha: sha, sha: newest })
  expect(await here.version()).toMatchObject({ sha: newest })
})

test('an earlier successful run sent again is a rollback to exactly its commit', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  another(here)
  await here.deploy()
  const { status, progress } = await here.deploy({ ref: first, sent_before: [first.slice(0, 10)] })
  expect(status).toBe('succeeded')
  expect(progress).toMatchObject({ kind: 'rollback', ref_sha: first, sha: first })
  expect(progress.steps[1]).toMatchObject({ name: 'install', status: 'skipped' })
  expect(await here.version()).toMatchObject({ sha: first })
  expect(here.head()).toBe(first)
})

test('after a rollback the next push is an ordinary deploy', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  another(here)
  await here.deploy()
  await here.deploy({ kind: 'rollback', ref: first })
  const newest = another(here)
  expect(await here.deploy({ ref: newest })).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: newest })
})

test('a call that comes late has nothing to do', async () => {
  await using here = await agentUnderTest()
  here.commit()
  const late = another(here)
  const newest = another(here)
  await here.deploy()
  const before = await here.version()
  const ended = await here.deploy({ ref: late })
  expect(ended).toMatchObject({ status: 'superseded', error: null })
  expect(ended.progress).toMatchObject({ ref_sha: late, sha: newest })
  expect(ended.progress.steps.map(({ name }) => name)).toEqual(['fetch'])
  expect(await here.version()).toEqual(before)
})

test('a commit that the branch has moved past is deployed as part of the newest', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const ref = another(here)
  const newest = another(here)
  const { progress } = await here.deploy({ ref: ref.slice(0, 8) })
  expect(progress).toMatchObject({ ref_sha: ref, sha: newest })
  expect(await here.version()).toMatchObject({ sha: newest })
})

test('an operator can roll back while the remote is gone', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  another(here)
  await here.deploy()
  renameSync(here.remote.directory, `${here.remote.directory}-gone`)
  const push = await here.deploy()
  expect(push).toMatchObject({ status: 'failed', error: { code: expect.stringMatching(/^remote_/) } })
  const ended = await here.deploy({ kind: 'rollback', ref: first.slice(0, 7) })
  expect(ended).toMatchObject({ status: 'succeeded', progress: { kind: 'rollback', sha: first } })
  expect(await here.version()).toMatchObject({ sha: first })
})

test('a rollback to a commit whose release is gone makes it anew', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  another(here)
  await here.deploy()
  rmSync(here.layout.release(first), { recursive: true })
  expect(await here.deploy({ kind: 'rollback', ref: first })).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: first })
})
