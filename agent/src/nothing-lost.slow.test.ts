/** What only the working copy has, or the branch no longer has, is never lost to a run. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from './repository-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

let number = 0
const another = (here: AgentUnderTest) => here.commit('good', { 'README.md': `${++number}` })

test('a rollback reaches a kept release that the branch no longer has', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  rewrite(here)
  await here.deploy({ discard: true })
  expect(await here.deploy({ kind: 'rollback', ref: first })).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: first })
})

test('a commit that someone checked out by hand does not stand in the way of the next deploy', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  another(here)
  await here.deploy()
  git(here.layout.work, ['checkout', '--quiet', first])
  const newest = another(here)
  expect(await here.deploy()).toMatchObject({ status: 'succeeded', progress: { sha: newest } })
  expect(git(here.layout.work, ['symbolic-ref', '--short', 'HEAD'])).toBe('main')
})

test('own commits are still someone’s own after a deploy that was to discard them has failed', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  diverge(here)
  const own = here.head()
  here.remote.commit({ 'requirements.txt': 'no-such-package-anywhere\n' })
  expect(await here.deploy({ discard: true })).toMatchObject({ error: { code: 'install_failed' } })
  expect(here.head()).toBe(own)
  expect(await here.deploy()).toMatchObject({ error: { code: 'working_copy_diverged' } })
})

test.for([
  ['history_rewritten', rewrite],
  ['working_copy_dirty', dirty],
  ['working_copy_diverged', diverge],
] as const)('%s: nothing is overwritten until an operator discards it', async ([code, spoil]) => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const before = await here.version()
  const newest = spoil(here)
  const head = here.head()
  expect(await here.deploy()).toMatchObject({ status: 'failed', error: { code } })
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(head)
  expect(await here.deploy({ discard: true })).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: newest })
  expect(here.head()).toBe(newest)
})

function rewrite(here: AgentUnderTest): string {
  here.remote.git('commit', '--quiet', '--amend', '-m', 'Rewritten')
  return another(here)
}

function dirty(here: AgentUnderTest): string {
  writeFileSync(join(here.layout.work, 'service.py'), '# mine')
  return another(here)
}

function diverge(here: AgentUnderTest): string {
  git(here.layout.work, ['commit', '--quiet', '--allow-empty', '-m', 'My own'])
  return another(here)
}
