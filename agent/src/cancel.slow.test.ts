/** A run that is cancelled, in whichever step, is as if it had not been. */
import { existsSync, readlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { agentUnderTest } from './under-test.ts'

test.for(['fetch', 'install', 'before_restart'] as const)(
  'cancelled during %s, the service was never disturbed and the next run works',
  async step => {
    await using here = await agentUnderTest()
    const good = await here.deployGood()
    const before = await here.version()
    const { run, release } = await hangIn(step, here)
    run.cancel()
    const ended = await run.ended
    expect(ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: null })
    expect(ended.progress.steps.at(-1)).toMatchObject({
      name: step,
      status: 'failed',
      detail: 'The run was cancelled.',
    })
    expect(here.strays()).toEqual([])
    expect(await here.version()).toEqual(before)
    expect(here.head()).toBe(good)
    await release()
    const next = here.commit('good', { 'README.md': 'next', 'requirements.txt': '' })
    expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
    expect(await here.version()).toMatchObject({ sha: next })
  },
)

test('cancelled during verify, the release before runs again', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const { run, sha, release } = await hangIn('verify', here)
  run.cancel()
  await release()
  expect(await run.ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: good })
  expect(await here.version()).toMatchObject({ sha: good })
  expect(here.head()).toBe(good)
  expect(readlinkSync(here.layout.current)).toBe(`releases/${good}`)
  expect(here.starts()).toEqual([`web ${good}`, `web ${sha}`, `web ${good}`])
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
})

test('a first deploy that is cancelled during verify leaves nothing in place', async () => {
  await using here = await agentUnderTest()
  here.commit('late 60000')
  const run = here.begin()
  await here.untilStep(run.id, 'verify')
  run.cancel()
  expect(await run.ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: null })
  expect(existsSync(here.layout.current)).toBe(false)
  expect(await here.deployGood()).toBeTruthy()
})

test('a first deploy that is cancelled while it clones leaves nothing, and the next one works', async () => {
  await using here = await agentUnderTest()
  const { run, release } = await hangIn('fetch', here)
  run.cancel()
  expect(await run.ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: null })
  expect(here.strays()).toEqual([])
  await release()
  expect(await here.deployGood()).toBeTruthy()
})

test.for(['fetch', 'install', 'restart'] as const)(
  'cancelled when %s is just over, either nothing was disturbed or all is taken back',
  async step => {
    await using here = await agentUnderTest()
    const good = await here.deployGood()
    const before = await here.version()
    here.commit('good', { 'README.md': 'new' })
    const run = here.begin()
    await here.untilStep(run.id, step, 'succeeded', 'skipped')
    run.cancel()
    const { status, restored_sha } = await run.ended
    expect(status).toBe('cancelled')
    expect(here.head()).toBe(good)
    if (restored_sha === null) expect(await here.version()).toEqual(before)
    else expect(await here.version()).toMatchObject({ sha: good })
  },
)

test('a cancel right behind the order counts', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const before = await here.version()
  here.commit('good', { 'README.md': 'new' })
  const run = here.begin()
  run.cancel()
  expect(await run.ended).toMatchObject({ status: 'cancelled', error: null })
  expect(await here.version()).toEqual(before)
})

test('a run that waits for its turn can be cancelled', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const { run: first, release } = await hangIn('verify', here)
  const second = here.begin()
  second.cancel()
  await release()
  expect(await first.ended).toMatchObject({ status: 'succeeded' })
  const ended = await second.ended
  expect(ended).toMatchObject({ status: 'cancelled', error: null, restored_sha: null })
  expect(here.starts()).toHaveLength(2)
})

test('a cancel of a run that is over or unknown changes nothing', async () => {
  await using here = await agentUnderTest()
  here.commit()
  const run = here.begin()
  await run.ended
  run.cancel()
  here.control.send({ type: 'cancel', run_id: '019cadd3-7f48-7c1e-9a40-5d2b7f60e113' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
})
