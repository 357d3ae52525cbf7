/** The disk that holds everything, journals too, is full: nothing breaks, and a run goes on when there is room. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { hangIn } from './hanging-under-test.ts'
import { writeWheel } from './runtimes/wheel-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

/** An agent whose home is a disk of so many megabytes. */
async function onSmallDisk(context: TestContext, megabytes: number): Promise<AgentUnderTest> {
  const home = join(temporaryDirectory(), 'home')
  mkdirSync(home)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', home])
  if (status !== 0) context.skip('a small disk cannot be mounted')
  onTestFinished(() => void spawnSync('umount', ['--lazy', home]))
  return await agentUnderTest({ home, limits: { freeBytes: 0 } })
}

/** To the last byte. */
function fill(here: AgentUnderTest): () => void {
  const file = join(here.home, 'filler')
  for (const bytes of [1024 * 1024, 4096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch {}
  }
  return () => rmSync(file)
}

test('a disk that is full during the install fails the run and leaves the service alone', async context => {
  await using here = await onSmallDisk(context, 8)
  await here.deployGood()
  const before = await here.version()
  const wheels = join(here.directory, 'wheels')
  const source = `told = "${randomBytes(8 * 1024 * 1024).toString('hex')}"\n`
  writeWheel(wheels, { name: 'large', version: '1', source })
  here.commit('good', { 'requirements.txt': `--find-links ${wheels}\nlarge\n` })
  expect(await here.deploy()).toMatchObject({ status: 'failed', error: { code: 'disk_full' } })
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(before.sha)
  here.commit('good', { 'requirements.txt': '' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
})

test('a run that cannot be written down any more goes on when there is room', async context => {
  await using here = await onSmallDisk(context, 8)
  const good = await here.deployGood()
  const { run, sha, release } = await hangIn('verify', here)
  const makeRoom = fill(here)
  await release()
  // More often than anything else that is unexpected is tried.
  const tries = () => here.log.lines.filter(({ msg }) => msg === 'a run failed unexpectedly').length
  await until('it was tried often', () => tries() > 5, 30_000)
  expect(await here.version()).toMatchObject({ sha })
  expect(here.control.isOver(run.id)).toBe(false)
  makeRoom()
  expect(await run.ended).toMatchObject({ status: 'succeeded', progress: { sha } })
  expect(here.starts()).toEqual([`web ${good}`, `web ${sha}`])
})
