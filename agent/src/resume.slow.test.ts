/** The agent is stopped in the middle of a run; the next one on the same home brings it to its end. */

import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { agentUnderTest } from './under-test.ts'

test.for(['fetch', 'install', 'verify'] as const)(
  'stopped during %s, the next agent finishes the run, and the service is started once',
  async step => {
    await using here = await agentUnderTest()
    const good = await here.deployGood()
    const { run, sha, release } = await hangIn(step, here)
    await here.stopAgent()
    expect(here.strays()).toEqual([])
    await release()
    await here.startAgent()
    here.control.order(run.order, 0)
    const ended = await run.ended
    expect(ended).toMatchObject({ status: 'succeeded', progress: { sha } })
    expect(ended.progress.steps.map(({ name }) => name)).toEqual(['fetch', 'install', 'restart', 'verify'])
    expect(await here.version()).toMatchObject({ sha })
    expect(here.starts()).toEqual([`web ${good}`, `web ${sha}`])
    expect(here.head()).toBe(sha)
  },
)

test('stopped in the step before the restart, that step is not done twice and the run is undone', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const before = await here.version()
  const { run } = await hangIn('before_restart', here)
  await here.restartAgent(run)
  expect(await run.ended).toMatchObject({ status: 'failed', error: { code: 'interrupted' } })
  expect(here.starts('prepared.log')).toHaveLength(1)
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(good)
})

test('stopped while it takes a run back, the next agent takes it back', async () => {
  await using here = await agentUnderTest()
  const good = await here.commit('late 600')
  await here.deploy()
  const bad = here.commit('exits 3')
  const run = here.begin()
  await until('the release before is started', () => here.starts().length === 3)
  await here.restartAgent(run)
  expect(await run.ended).toMatchObject({
    status: 'failed',
    restored_sha: good,
    error: { code: 'verify_failed' },
  })
  expect(here.control.text(run.id)).toContain('taking back')
  expect(await here.version()).toMatchObject({ sha: good })
  expect(here.head()).toBe(good)
  expect(here.starts().filter(start => start === `web ${bad}`)).toHaveLength(1)
})

test('stopped during verify, the log still ends with what the unit wrote since it was started', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  here.project = { ...here.project, health: { timeout_s: 1.5 } }
  const sha = here.commit('never-ready')
  const run = here.begin()
  await until('it is started', () => here.starts().includes(`web ${sha}`))
  await here.restartAgent(run)
  expect(await run.ended).toMatchObject({ status: 'failed', restored_sha: good })
  expect(here.control.text(run.id)).toContain(`  web | web starts on ${sha}`)
  expect(here.control.text(run.id)).not.toContain(`  web | web starts on ${good}`)
})

test('what runs is found again by the next agent and kept running', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const before = await here.version()
  await here.restartAgent()
  await until('it is told', () => here.control.instance('hello')?.units[0]?.pid === before.pid)
  expect(await here.version()).toEqual(before)
  process.kill(before.pid, 'SIGKILL')
  const after = await until('it is started again', () => here.version().catch(() => undefined))
  expect(after.sha).toBe(before.sha)
})
