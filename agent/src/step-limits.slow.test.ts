/** A step that takes longer than its limit is ended, and the run undone. */
import { expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { agentUnderTest } from './under-test.ts'

test.for([
  ['fetch', 'fetch_s'],
  ['install', 'install_s'],
  ['before_restart', 'before_restart_s'],
] as const)('%s ends at its limit', async ([step, limit]) => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const before = await here.version()
  here.project = { ...here.project, limits: { ...here.project.limits, [limit]: 1.5 } }
  const { run } = await hangIn(step, here)
  const ended = await run.ended
  expect(ended).toMatchObject({
    status: 'failed',
    restored_sha: null,
    error: { code: 'step_timeout', message: `The step ${step} took longer than its limit of 1.5 s.` },
  })
  expect(here.strays()).toEqual([])
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(good)
})
