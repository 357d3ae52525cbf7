import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { Environments } from './environments.ts'
import { layoutOf } from './layout.ts'
import type { EnvironmentPlan } from './runtimes/runtime.ts'
import { offlinePython, project, pythonMissing, recordingRun, writeFiles } from './runtimes/under-test.ts'
import { writeSources } from './runtimes/wheel-under-test.ts'

const hash = 'a'.repeat(32)
const plan: EnvironmentPlan = {
  hash,
  interpreter: { path: '/usr/bin/python3', version: '3.11.2' },
  lists: ['requirements.txt'],
  empty: false,
  summary: '1 requirement, Python 3.11.2',
}

const setUp = () => {
  const layout = layoutOf(temporaryDirectory(), 'shop')
  const directory = layout.environment(hash)
  const environments = new Environments(layout, () => new Date('2026-01-02T03:04:05Z'))
  let builds = 0
  const build = async (to: string) => {
    builds++
    writeFiles(to, { 'lib/a.py': 'four', 'b.py': 'six...' })
  }
  return { layout, directory, environments, build, builds: () => builds }
}

test('a finished environment carries a marker and is built once', async () => {
  const { environments, directory, build, builds } = setUp()
  expect(await environments.has(hash)).toBe(false)
  expect(await environments.ensure(plan, build)).toBe('built')
  expect(await environments.ensure(plan, build)).toBe('reused')
  expect(builds()).toBe(1)
  const { interpreter, lists } = plan
  const marker = { hash, interpreter, lists, built_at: '2026-01-02T03:04:05.000Z', bytes: 10 }
  expect(JSON.parse(readFileSync(join(directory, '.complete'), 'utf8'))).toEqual(marker)
  expect(await environments.list()).toEqual([{ hash, marker }])
})

test.each(['', '{"hash":', `{"hash":"${'b'.repeat(32)}"}`, null])(
  'what is not finished goes first: %j',
  async marker => {
    const { environments, directory, build } = setUp()
    writeFiles(directory, { 'left.py': 'over', ...(marker === null ? {} : { '.complete': marker }) })
    expect(await environments.list()).toEqual([{ hash, marker: null }])
    expect(await environments.ensure(plan, build)).toBe('built')
    expect(existsSync(join(directory, 'left.py'))).toBe(false)
  },
)

test('a build that fails leaves nothing, and its error is passed on', async () => {
  const { environments, directory, build } = setUp()
  const failing = async (to: string) => {
    await build(to)
    throw new Error('half-way')
  }
  await expect(environments.ensure(plan, failing)).rejects.toThrow('half-way')
  expect(existsSync(directory)).toBe(false)
  const full = () => Promise.reject(Object.assign(new Error('write'), { code: 'ENOSPC' }))
  await expect(environments.ensure(plan, full)).rejects.toMatchObject({ code: 'disk_full' })
  expect(await environments.ensure(plan, build)).toBe('built')
})

test('two who want the same one at once get it built once; a failure of the first does not fail the second', async () => {
  const { environments, build, builds } = setUp()
  const both = [
    environments.ensure(plan, build),
    environments.ensure(plan, build),
    environments.ensure(plan, build),
  ]
  expect(await Promise.all(both)).toEqual(['built', 'reused', 'reused'])
  expect(builds()).toBe(1)
  await environments.remove(hash)
  const failing = environments.ensure(plan, () => Promise.reject(new Error('no')))
  const second = environments.ensure(plan, build)
  await expect(failing).rejects.toThrow('no')
  expect(await second).toBe('built')
})

test('one is removed by its hash, and nothing else can be', async () => {
  const { environments, layout, build } = setUp()
  await environments.ensure(plan, build)
  writeFiles(layout.environments, { 'notes.txt': 'mine' })
  for (const wrong of ['', '.', '..', '../work', 'notes.txt'])
    await expect(environments.remove(wrong)).rejects.toThrow('not the hash')
  await environments.remove(hash)
  await environments.remove(hash)
  expect(await environments.list()).toEqual([])
  expect(existsSync(join(layout.environments, 'notes.txt'))).toBe(true)
})

test('a pip that is killed half-way leaves nothing, and the next build is whole', async context => {
  if (pythonMissing) context.skip(pythonMissing)
  const { environments, layout } = setUp()
  const release = writeFiles(layout.release('1'), { 'requirements.txt': './lib\n' })
  const group = join(layout.root, 'group')
  const hang = `import time\nopen(${JSON.stringify(group)}, 'w').write(str(os.getpgid(0)) + '\\n')\ntime.sleep(60)`
  writeSources(join(release, 'lib'), 'mylib', 'whole', hang)
  const runtime = offlinePython(layout.root)
  const { run } = recordingRun()
  const ensure = async () => {
    const needed = await runtime.plan(release, project(), run)
    const built = await environments.ensure(needed, to => runtime.build(needed, to, release, project(), run))
    return { built, environment: layout.environment(needed.hash) }
  }
  const killed = expect(ensure()).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringContaining('killed from outside'),
  })
  const id = await until(
    'pip builds',
    () => existsSync(group) && readFileSync(group, 'utf8').endsWith('\n'),
  ).then(() => Number(readFileSync(group, 'utf8')))
  process.kill(-id, 'SIGKILL')
  await killed
  expect(await environments.list()).toEqual([])
  writeSources(join(release, 'lib'), 'mylib', 'whole')
  const { built, environment } = await ensure()
  expect(built).toBe('built')
  const program = runtime.program(
    ['python', '-c', 'import mylib; print(mylib.told)'],
    { release, environment, data: release },
    {},
  )
  expect((await run(program)).stdout).toBe('whole\n')
})
