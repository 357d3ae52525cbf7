/** What comes before the restart, and that its failures leave the service alone. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EndedRun } from './control-under-test.ts'
import { hangIn } from './hanging-under-test.ts'
import { writeWheel } from './runtimes/wheel-under-test.ts'
import { type AgentUnderTest, agentUnderTest } from './under-test.ts'

const prepare = ['python', 'service.py', 'prepare']

/** A good release runs; then a run that fails before the restart. */
async function failsUndisturbed(here: AgentUnderTest, spoil: () => Promise<EndedRun>): Promise<EndedRun> {
  const before = await here.version()
  const ended = await spoil()
  expect(ended).toMatchObject({ status: 'failed', restored_sha: null })
  expect(await here.version()).toEqual(before)
  expect(here.head()).toBe(before.sha)
  expect(here.starts()).toEqual([`web ${before.sha}`])
  return ended
}

test('a changed dependency list gets an environment of its own, and the one before is not touched', async () => {
  await using here = await agentUnderTest()
  const wheels = join(here.directory, 'wheels')
  writeWheel(wheels, { name: 'greeting', version: '1' })
  writeWheel(wheels, { name: 'greeting', version: '2' })
  const list = (version: number) => ({ 'requirements.txt': `--find-links ${wheels}\ngreeting==${version}\n` })
  here.commit('good', list(1))
  const first = await here.deploy()
  expect(first.progress.steps[1]).toMatchObject({ status: 'succeeded', exit: 0 })
  const [before] = readdirSync(here.layout.environments)
  const sha = here.commit('good', list(2))
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha })
  const both = readdirSync(here.layout.environments)
  const told = both.map(hash => toldIn(here.layout.environment(hash)))
  expect(told.toSorted()).toEqual(['1', '2'])
  expect(toldIn(here.layout.environment(before!))).toBe('1')
})

test('requirements that do not exist fail the install and leave the service alone', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const environments = readdirSync(here.layout.environments)
  const ended = await failsUndisturbed(here, () => {
    here.commit('good', { 'requirements.txt': 'no-such-package-anywhere==1\n' })
    return here.deploy()
  })
  expect(ended.error).toMatchObject({ code: 'install_failed' })
  expect(ended.progress.steps.at(-1)).toMatchObject({ name: 'install', status: 'failed', exit: 1 })
  expect(here.textOf(ended)).toContain('no-such-package-anywhere')
  expect(readdirSync(here.layout.environments)).toEqual(environments)
})

test('an installer that is killed half-way leaves nothing, and the next run builds anew', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const environments = readdirSync(here.layout.environments)
  const ended = await failsUndisturbed(here, async () => {
    const { run, release } = await hangIn('install', here)
    for (const { pid } of here.strays()) process.kill(pid, 'SIGKILL')
    await release()
    return run.ended
  })
  expect(ended.error).toMatchObject({ code: 'install_failed' })
  expect(readdirSync(here.layout.environments)).toEqual(environments)
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
})

test('a first deploy whose install fails can be mended by the next commit', async () => {
  await using here = await agentUnderTest()
  here.commit('good', { 'requirements.txt': 'no-such-package-anywhere\n' })
  expect(await here.deploy()).toMatchObject({ status: 'failed', error: { code: 'install_failed' } })
  here.remote.commit({ 'requirements.txt': '' })
  expect(await here.deploy()).toMatchObject({ status: 'succeeded' })
})

test('an install does not begin without enough free space', async () => {
  await using here = await agentUnderTest({ limits: { freeBytes: Number.MAX_SAFE_INTEGER } })
  here.commit()
  const ended = await here.deploy()
  expect(ended.error).toMatchObject({
    code: 'disk_full',
    message: expect.stringMatching(/^Only \d+ MB are free/),
  })
})

test('the interpreter that a project asks for must be there', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  const ended = await failsUndisturbed(here, () => {
    here.commit('good', { 'README.md': 'new' })
    return here.deploy({ project: { ...here.project, interpreter: 'python9.99' } })
  })
  expect(ended.error).toMatchObject({ code: 'interpreter_missing' })
})

test('the step before the restart is done once, in the new release', async () => {
  await using here = await agentUnderTest()
  here.project = { ...here.project, before_restart: prepare }
  const sha = here.commit()
  const ended = await here.deploy()
  expect(ended.progress.steps[2]).toMatchObject({ name: 'before_restart', status: 'succeeded', exit: 0 })
  expect(here.starts('prepared.log')).toEqual([`prepare ${sha}`])
  expect(here.textOf(ended)).toContain(`preparing ${sha} in ${here.layout.release(sha)}`)
})

test('when the step before the restart fails, the service is left alone', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  here.project = { ...here.project, before_restart: prepare }
  const ended = await failsUndisturbed(here, () => {
    here.commit(['good', 'prepare-exits 7'])
    return here.deploy()
  })
  expect(ended.error).toEqual({
    code: 'before_restart_failed',
    message: 'The step before the restart ended with code 7.',
  })
})

test('a step before the restart that cannot be started says so', async () => {
  await using here = await agentUnderTest()
  await here.deployGood()
  here.project = { ...here.project, before_restart: ['no-such-program'] }
  const ended = await failsUndisturbed(here, () => here.deploy({ project: here.project }))
  expect(ended.error).toMatchObject({
    code: 'before_restart_failed',
    message: expect.stringContaining('no-such-program cannot be started'),
  })
})

test('what a step writes is bounded and clean', async () => {
  await using here = await agentUnderTest()
  const noise = String.raw`
import sys
sys.stdout.buffer.write(b'\x1b[2J\x1b]8;;http://x\x07\xff\n' + b'y' * 1_000_000 + b'\n')
for number in range(5000): print('line', number)`
  here.project = { ...here.project, before_restart: ['python', '-c', noise] }
  here.commit()
  const lines = here.textOf(await here.deploy()).split('\n')
  expect(lines.filter(line => line.startsWith('line '))).toHaveLength(2197)
  expect(lines).toContain('line 4999')
  expect(lines).toContain('… 2803 lines left out …')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
  expect(lines.join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(5000)
})

function toldIn(environment: string): string | undefined {
  const [version] = readdirSync(join(environment, 'lib'))
  const file = join(environment, 'lib', version!, 'site-packages', 'greeting', '__init__.py')
  return /told = "(.*)"/.exec(readFileSync(file, 'utf8'))?.[1]
}
