/** What control hears, and hears again when it comes back. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { agentUnderTest } from './under-test.ts'

test('of the log only what control does not have is told again', async () => {
  await using here = await agentUnderTest()
  here.commit()
  const run = here.begin()
  await run.ended
  const all = here.control.log(run.id)
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
  here.control.told.length = 0
  await here.control.run(run.order, 3)
  expect(here.control.log(run.id)).toEqual(all.slice(3))
  here.control.told.length = 0
  await here.control.run(run.order, all.length)
  expect(here.control.all('run_log')).toEqual([])
})

test('on a new connection control hears who is there, what runs, and how far a run has come', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const { run, sha, release } = await hangIn('verify', here)
  const before = here.control.progress(run.id)
  here.control.told.length = 0
  here.connect()
  here.control.order(run.order, 0)
  const progress = await here.control.until(() => here.control.progress(run.id))
  expect(here.control.told[0]).toMatchObject({ type: 'hello', machine: 'here' })
  expect(here.control.instance('hello')).toMatchObject({ sha, port: here.port })
  expect(progress).toEqual(before)
  expect(progress.steps.map(({ status }) => status)).toEqual(['succeeded', 'skipped', 'succeeded', 'running'])
  expect(here.control.text(run.id)).toContain('is the newest of the branch')
  await release()
  expect(await run.ended).toMatchObject({ status: 'succeeded' })
  expect(here.starts()).toEqual([`web ${good}`, `web ${sha}`])
})

test('what does not belong among the projects is not taken for one', async () => {
  await using here = await agentUnderTest()
  mkdirSync(join(here.home, 'projects', 'lost+found'), { recursive: true })
  await here.deployGood()
  here.control.told.length = 0
  here.connect()
  await here.control.until(() => here.control.instance('hello'))
  expect(here.control.all('instance')).toHaveLength(1)
})

test('a run goes on while control is away', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const { run, sha, release } = await hangIn('verify', here)
  here.control.disconnect()
  await release()
  await until('the run is over', () => here.hasEnded(run.id))
  here.connect()
  expect(await here.control.run(run.order)).toMatchObject({ status: 'succeeded', progress: { sha } })
})

test('the end of a run is told behind all of its log', async () => {
  await using here = await agentUnderTest()
  here.commit('exits 3')
  await here.deploy()
  const types = here.control.told.map(({ type }) => type)
  expect(types.lastIndexOf('run_log')).toBeLessThan(types.indexOf('run_ended'))
  expect(types.filter(type => type === 'run_ended')).toHaveLength(1)
})
