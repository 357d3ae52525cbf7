/** What is left when the new build does not run and the one before is missing, down, or broken too. */
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { git } from './repository-under-test.ts'
import { agentUnderTest } from './under-test.ts'

test('a first deploy that fails leaves nothing in place, and the next good one works', async () => {
  await using here = await agentUnderTest()
  here.commit('exits 3')
  const ended = await here.deploy()
  expect(ended).toMatchObject({ status: 'failed', restored_sha: null, error: { code: 'verify_failed' } })
  expect(ended.error!.message).toMatch(
    /ended with code 3.* There was nothing before that could be put back: the service is stopped\.$/,
  )
  expect(existsSync(here.layout.current)).toBe(false)
  expect(existsSync(join(here.layout.work, 'service.py'))).toBe(false)
  await until('it is told', () => here.control.instance('hello')?.units[0]?.state === 'stopped')
  expect(here.control.instance('hello')).toMatchObject({ sha: null, port: null })
  const sha = await here.deployGood()
  expect(await here.version()).toMatchObject({ sha })
})

test('when the release before does not run either, the run says both and goes on trying it', async () => {
  await using here = await agentUnderTest()
  const good = here.commit('needs-data')
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  writeFileSync(join(here.layout.data, 'broken'), '')
  here.commit('exits 3')
  const ended = await here.deploy()
  expect(ended).toMatchObject({ status: 'failed', restored_sha: null, error: { code: 'verify_failed' } })
  expect(ended.error!.message).toMatch(
    new RegExp(
      `web ended with code 3.* The release before, ${good.slice(0, 12)}, does not run either: hello: the process web ended with code 6`,
    ),
  )
  expect(here.head()).toBe(good)
  rmSync(join(here.layout.data, 'broken'))
  await until('it is tried again', () => here.version().catch(() => undefined))
  expect(await here.version()).toMatchObject({ sha: good })
})

test('what was checked out by hand is put back, not what was proven before it', async () => {
  await using here = await agentUnderTest()
  const first = await here.deployGood()
  await here.deployGood()
  git(here.layout.work, ['checkout', '--quiet', first])
  rmSync(here.layout.current)
  symlinkSync(join('releases', first), here.layout.current)
  here.commit('exits 3')
  expect(await here.deploy()).toMatchObject({ status: 'failed', restored_sha: first })
  expect(await here.version()).toMatchObject({ sha: first })
  expect(here.head()).toBe(first)
})

test('a service that was stopped stays stopped when a deploy of it fails, and starts on the release before', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  await here.control.act('stop', here.project)
  here.commit('exits 3')
  expect(await here.deploy()).toMatchObject({ status: 'failed', restored_sha: good })
  await expect(here.version()).rejects.toThrow()
  await here.control.act('start', here.project)
  await until('it answers', () => here.version().catch(() => undefined))
  expect(await here.version()).toMatchObject({ sha: good })
})

test('a program that does not exist in the new release is a failed restart, and is taken back', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const processes = [{ ...here.project.processes[0]!, start: ['./missing'] }]
  const ended = await here.deploy({ project: { ...here.project, processes } })
  expect(ended).toMatchObject({ status: 'failed', restored_sha: good, error: { code: 'restart_failed' } })
  expect(ended.error!.message).toMatch(/missing does not exist/)
  expect(await here.version()).toMatchObject({ sha: good })
})

test('settings that came with a failed deploy go back with it', async () => {
  await using here = await agentUnderTest()
  const good = await here.deployGood()
  const worker = {
    name: 'worker',
    start: ['python', 'service.py', 'worker'],
    port: null,
    timer: null,
    socket: false,
  }
  const project = { ...here.project, processes: [...here.project.processes, worker] }
  here.commit('exits 3')
  expect(await here.deploy({ project })).toMatchObject({ status: 'failed', restored_sha: good })
  await until('the worker is gone', () => here.control.instance('hello')?.units.length === 1)
})

test('after a failed deploy the same commit can be deployed again', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const sha = here.commit('never-ready')
  const project = { ...here.project, health: { timeout_s: 0.3 } }
  expect(await here.deploy({ ref: sha, project })).toMatchObject({ status: 'failed' })
  const again = await here.deploy({ ref: sha, project })
  expect(again).toMatchObject({ status: 'failed', progress: { sha } })
  expect(again.progress.steps.at(-1)).toMatchObject({ name: 'verify', status: 'failed' })
})
