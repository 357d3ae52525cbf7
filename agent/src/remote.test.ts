/** A remote that is not there, hangs up, or asks for more: the run says which, and the service is left alone. */

import type { RunErrorCode } from '@quarterdeck/contract'
import { freePort } from '@quarterdeck/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpRemote } from './remote-under-test.ts'
import { twoCommitsAlike } from './repository-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

let here: AgentUnderTest
let http: HttpRemote

beforeAll(async () => {
  here = await agentUnderTest()
  http = await HttpRemote.serving(here.remote)
  here.onClose(() => http[Symbol.asyncDispose]())
  here.project = { ...here.project, git_url: http.url }
  await here.deployGood()
})
afterAll(() => here.close())

async function fails(code: RunErrorCode, change: Parameters<AgentUnderTest['deploy']>[0] = {}) {
  const before = await here.version()
  const ended = await here.deploy(change)
  expect(ended).toMatchObject({ status: 'failed', restored_sha: null, error: { code } })
  expect(ended.progress.steps).toMatchObject([{ name: 'fetch', status: 'failed' }])
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(before.sha)
  return ended
}

test('a remote that does not answer', async () => {
  const git_url = `http://127.0.0.1:${await freePort()}/repository.git`
  await fails('remote_unreachable', { project: { ...here.project, git_url } })
})

test('a remote that asks for credentials is not answered, and does not hold up the run', async () => {
  http.mode = 'ask'
  const ended = await fails('remote_denied')
  http.mode = 'answer'
  expect(here.textOf(ended)).not.toBe('')
})

test('a branch that is not there', async () => {
  await fails('branch_missing', { project: { ...here.project, branch: 'trunk' } })
})

test('a shortened commit that stands for several', async () => {
  const [one, other] = twoCommitsAlike(here.remote.directory)
  for (const sha of [one, other])
    here.remote.git('merge', '--quiet', '--strategy=ours', '--allow-unrelated-histories', '-m', 'Alike', sha)
  await fails('ref_ambiguous', { ref: one.slice(0, 7) })
})

test('submodules', async () => {
  const entry = `160000,${here.remote.git('rev-parse', 'HEAD')},vendor/library`
  here.remote.git('update-index', '--add', '--cacheinfo', entry)
  here.remote.git('commit', '--quiet', '-m', 'A submodule')
  const { error } = await fails('submodules_unsupported')
  expect(error!.message).toContain('vendor/library')
  here.remote.git('rm', '--quiet', '--cached', 'vendor/library')
})

test('when the remote is well again, the next run is', async () => {
  const sha = here.commit('good', { 'README.md': 'well' })
  expect(await here.deploy({ ref: sha })).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha })
})
