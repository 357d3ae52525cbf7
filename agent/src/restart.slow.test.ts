/** Cancelled, out of time or stopped during the restart itself: an old process that does not want to end holds it up. */
import { readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type AgentUnderTest, agentUnderTest, type Begun } from './under-test.ts'

/** A release that ignores SIGTERM runs; a run is at ending it. */
async function inRestart(
  here: AgentUnderTest,
  restart_s = 60,
): Promise<{ old: string; sha: string; run: Begun }> {
  const old = here.commit('ignores-sigterm')
  await here.deploy()
  const sha = here.commit('good')
  here.project = { ...here.project, limits: { ...here.project.limits, restart_s } }
  const run = here.begin()
  await here.untilStep(run.id, 'restart')
  return { old, sha, run }
}

async function expectAsBefore(here: AgentUnderTest, old: string): Promise<void> {
  expect(await here.version()).toMatchObject({ sha: old })
  expect(here.head()).toBe(old)
  expect(readlinkSync(here.layout.current)).toBe(`releases/${old}`)
  expect(here.strays()).toEqual([])
}

test.concurrent('cancelled during the restart, the release before runs again', async () => {
  await using here = await agentUnderTest()
  const { old, run } = await inRestart(here)
  run.cancel()
  expect(await run.ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: old })
  await expectAsBefore(here, old)
  expect(here.starts()).toEqual([`web ${old}`, `web ${old}`])
})

test.concurrent('a restart that takes longer than its limit is taken back', async () => {
  await using here = await agentUnderTest()
  const { old, run } = await inRestart(here, 0.5)
  expect(await run.ended).toMatchObject({
    status: 'failed',
    restored_sha: old,
    error: { code: 'step_timeout', message: 'The step restart took longer than its limit of 0.5 s.' },
  })
  await expectAsBefore(here, old)
})

test.concurrent('stopped during the restart, the next agent finishes the run, and the service is started once', async () => {
  await using here = await agentUnderTest()
  const { old, sha, run } = await inRestart(here)
  await here.restartAgent(run)
  expect(await run.ended).toMatchObject({ status: 'succeeded', progress: { sha } })
  expect(await here.version()).toMatchObject({ sha })
  expect(here.starts()).toEqual([`web ${old}`, `web ${sha}`])
})

test.concurrent('a service that ignores SIGTERM is replaced all the same', async () => {
  await using here = await agentUnderTest()
  const { sha, run } = await inRestart(here)
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha })
})
