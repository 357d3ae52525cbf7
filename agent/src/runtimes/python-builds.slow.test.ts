import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeVenv } from '../commands/python.ts'
import { runtimeSuite } from './suite.ts'
import { offlinePython, path, project, pythonMissing, pythonProject, writeFiles } from './under-test.ts'
import { writeSources, writeWheel } from './wheel-under-test.ts'

runtimeSuite({
  name: 'python',
  missing: pythonMissing,
  runtime(directory) {
    for (const version of ['1', '2']) writeWheel(join(directory, 'wheels'), { name: 'told', version })
    return offlinePython(directory)
  },
  writeRelease: (release, version) =>
    writeFiles(release, {
      'requirements.txt': `told==${version}\n`,
      'app.py': 'import os, told\nprint(told.told)\nprint(os.environ["GREETING"])\n',
    }),
  start: ['python', 'app.py'],
})

beforeEach(context => {
  if (pythonMissing) context.skip(pythonMissing)
})

test('constraints and nested lists decide which versions come', async () => {
  const { build, say, wheels } = pythonProject({
    'requirements.txt': '-r lists/base.txt\n-c limits.txt\n',
    'lists/base.txt': 'outer\n',
    'limits.txt': 'inner<2\n',
  })
  writeWheel(wheels, { name: 'outer', version: '1', requires: ['inner'] })
  for (const version of ['1.5', '2.0']) writeWheel(wheels, { name: 'inner', version, script: 'inner' })
  const plan = await build()
  expect(plan.summary).toMatch(/^1 requirement, Python 3\./)
  expect(plan.lists).toEqual(['requirements.txt', 'lists/base.txt', 'limits.txt'])
  expect(await say('inner')).toBe('1.5')
})

test('without requirements only the environment is made, the same for every such release', async () => {
  const { build, say, environment, runtime, run, directory } = pythonProject({ 'limits.txt': 'a<1' })
  const plan = await build()
  expect(plan).toMatchObject({ empty: true, lists: [], summary: expect.stringMatching(/^no requirements/) })
  expect(await say('python', '-c', 'import sys; print(sys.prefix)')).toBe(environment)
  const other = writeFiles(join(directory, 'other'), {
    'requirements.txt': '# nothing yet\n-c limits.txt',
    'limits.txt': 'b',
  })
  expect((await runtime.plan(other, project(), run)).hash).toBe(plan.hash)
})

test('a release cannot put a pip or a json of its own in the way', async () => {
  const bait = 'raise SystemExit("caught")'
  const { build, say, wheels } = pythonProject({
    'requirements.txt': 'told',
    'pip.py': bait,
    'json.py': bait,
    'venv.py': bait,
  })
  writeWheel(wheels, { name: 'told', version: '3', script: 'tell' })
  await build()
  expect(await say('tell')).toBe('3')
})

test('nothing is written but the environment and the cache', async () => {
  const { build, wheels, directory, environment } = pythonProject({ 'requirements.txt': 'told' })
  writeWheel(wheels, { name: 'told', version: '3' })
  await build()
  expect(readdirSync(directory).toSorted()).toEqual(['environment', 'release', 'wheels'])
  expect(readdirSync(join(directory, 'release'))).toEqual(['requirements.txt'])
  expect(existsSync(join(environment, '.tmp'))).toBe(false)
})

test('only named variables of the agent reach pip and programs', async () => {
  const env = { SECRET: 'x', PIP_TARGET: '/elsewhere', PYTHONPATH: '/x', HTTPS_PROXY: 'http://proxy' }
  const { build, programs, wheels, say } = pythonProject({ 'requirements.txt': 'told' }, { env })
  writeWheel(wheels, { name: 'told', version: '3' })
  await build()
  const names = new Set(programs.flatMap(program => Object.keys(program.env)))
  expect(names).toContain('HTTPS_PROXY')
  expect([...names].filter(name => ['SECRET', 'PIP_TARGET', 'PYTHONPATH'].includes(name))).toEqual([])
  const seen = JSON.parse(await say('python', '-c', 'import os, json; print(json.dumps(dict(os.environ)))'))
  expect(seen).toMatchObject({ PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1', LANG: 'C.UTF-8' })
  expect(seen).not.toHaveProperty('HTTPS_PROXY')
})

test('another index is another environment; a renewed password for it is not', async () => {
  const { directory, release, run } = pythonProject({ 'requirements.txt': 'told' })
  const hash = async (url: string) => {
    const env = { PIP_INDEX_URL: url }
    return (await offlinePython(directory, { env }).plan(release, project(), run)).hash
  }
  expect(await hash('https://me:old@index.test/simple')).toBe(await hash('https://me:new@index.test/simple'))
  expect(await hash('https://other.test/simple')).not.toBe(await hash('https://index.test/simple'))
})

test('pip’s own configuration counts', async () => {
  const { directory, release, run } = pythonProject({ 'requirements.txt': 'told' })
  const file = join(directory, 'pip.conf')
  const runtime = offlinePython(directory, { pipConfiguration: [file] })
  const hashes = new Set<string>()
  for (const text of [null, '[global]\n', '[global]\nindex-url = https://a.test\n']) {
    if (text !== null) writeFiles(directory, { 'pip.conf': text })
    hashes.add((await runtime.plan(release, project(), run)).hash)
  }
  expect(hashes.size).toBe(3)
})

test('an interpreter without pip borrows that of another', async () => {
  const { build, directory, run, programs, say, wheels } = pythonProject({ 'requirements.txt': 'told' })
  writeWheel(wheels, { name: 'told', version: '4', script: 'tell' })
  const bare = join(directory, 'bare')
  await run(makeVenv('/usr/bin/python3', bare, { PATH: path }))
  await build(project({ interpreter: join(bare, 'bin/python3') }))
  expect(await say('tell')).toBe('4')
  const install = programs.find(program => program.args.includes('install'))
  expect(install?.file).not.toContain(bare)
})

test('a package in the release that is edited in place leads into the release', async () => {
  const { build, release, say } = pythonProject({ 'requirements.txt': '-e ./lib\n' })
  writeSources(join(release, 'lib'), 'mylib', 'edited')
  await build()
  expect(await say('python', '-c', 'import mylib; print(mylib.told, mylib.__file__)')).toBe(
    `edited ${join(release, 'lib/mylib/__init__.py')}`,
  )
})

test('the release has its environment as .venv, unless the commit brings one', async () => {
  const { release, environment, runtime, build, run } = pythonProject({ 'requirements.txt': './lib\n' })
  writeSources(join(release, 'lib'), 'mylib', 'x')
  const plan = await build()
  await runtime.attach(release, environment)
  await runtime.attach(release, environment)
  expect(readlinkSync(join(release, '.venv'))).toBe('../environment')
  expect(await runtime.plan(release, project(), run)).toEqual(plan)
  rmSync(join(release, '.venv'))
  mkdirSync(join(release, '.venv'))
  await runtime.attach(release, environment)
  expect(readdirSync(join(release, '.venv'))).toEqual([])
})

test('a build of a package in the release that fails is told in a sentence', async () => {
  const { build, release } = pythonProject({ 'requirements.txt': './lib\n' })
  writeSources(join(release, 'lib'), 'mylib', 'x', 'raise SystemExit("no compiler here")')
  await expect(build()).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringMatching(/^\.\/lib: .*no compiler here/),
  })
})

test('a list may be a link within the release, not out of it', async () => {
  const { release, runtime, run, directory } = pythonProject({ 'lists/prod.txt': 'told' })
  symlinkSync('lists/prod.txt', join(release, 'requirements.txt'))
  expect(await runtime.plan(release, project(), run)).toMatchObject({ empty: false })
  rmSync(join(release, 'requirements.txt'))
  mkdirSync(join(directory, 'secrets'))
  writeFiles(join(directory, 'secrets'), { 'list.txt': 'told' })
  symlinkSync('../secrets/list.txt', join(release, 'requirements.txt'))
  await expect(runtime.plan(release, project(), run)).rejects.toMatchObject({
    message: 'requirements.txt leads out of the release.',
  })
})
