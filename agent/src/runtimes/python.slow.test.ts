import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { makeVenv } from '../commands/python.ts'
import { Environments } from '../environments.ts'
import { layoutOf } from '../layout.ts'
import { offlinePython, path, project, pythonMissing, recordingRun, writeFiles } from './under-test.ts'
import { writeWheel } from './wheel-under-test.ts'

const setUp = (change: Parameters<typeof offlinePython>[1] = {}) => {
  const directory = temporaryDirectory()
  const layout = layoutOf(directory, 'shop')
  const release = writeFiles(layout.release('1'), { 'requirements.txt': 'told' })
  const runtime = offlinePython(directory, change)
  const environments = new Environments(layout)
  const { run, programs } = recordingRun()
  const build = async (wanted = project()) => {
    const plan = await runtime.plan(release, wanted, run)
    await environments.ensure(plan, to => runtime.build(plan, to, release, wanted, run))
    const place = { release, environment: layout.environment(plan.hash), data: directory }
    return { plan, told: (await run(runtime.program(['tell'], place, {}))).stdout }
  }
  return { directory, layout, environments, run, programs, build, wheels: join(directory, 'wheels') }
}

test('another version of Python gives another environment, with that version in it', async context => {
  if (pythonMissing) context.skip(pythonMissing)
  const python = join(homedir(), '.pyenv/versions/3.10.13/bin/python3.10')
  if (!existsSync(python)) context.skip('there is no Python 3.10 by pyenv')
  const { build, wheels } = setUp()
  const source = 'import sys\ntold = "%d.%d" % sys.version_info[:2]\n'
  writeWheel(wheels, { name: 'told', version: '1', script: 'tell', source })
  const [usual, other] = [await build(), await build(project({ interpreter: python }))]
  expect(other).toMatchObject({ told: '3.10\n', plan: { summary: '1 requirement, Python 3.10.13' } })
  expect(other.plan.hash).not.toBe(usual.plan.hash)
})

test('where no pip is to be found, the one that Python carries is put into the environment', async context => {
  if (pythonMissing) context.skip(pythonMissing)
  if (spawnSync('/usr/bin/python3', ['-c', 'import ensurepip']).status !== 0)
    context.skip('there is no ensurepip')
  const { build, directory, run, programs, wheels } = setUp({ env: { PATH: '/nowhere' } })
  writeWheel(wheels, { name: 'told', version: '5', script: 'tell' })
  const bare = join(directory, 'bare')
  await run(makeVenv('/usr/bin/python3', bare, { PATH: path }))
  const { told } = await build(project({ interpreter: join(bare, 'bin/python') }))
  expect(told).toBe('5\n')
  expect(programs.some(program => program.args.includes('ensurepip'))).toBe(true)
})

test('a disk that fills up is told as that, and room is made again', async context => {
  if (pythonMissing) context.skip(pythonMissing)
  const { build, environments, layout, wheels } = setUp()
  mkdirSync(layout.environments, { recursive: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', layout.environments])
  if (mounted.status !== 0) context.skip('only root can mount a small disk')
  onTestFinished(() => void spawnSync('umount', [layout.environments]))
  writeWheel(wheels, { name: 'told', version: '1', source: `told = "${'x'.repeat(4 * 1024 * 1024)}"\n` })
  await expect(build()).rejects.toMatchObject({ code: 'disk_full' })
  expect(await environments.list()).toEqual([])
})
