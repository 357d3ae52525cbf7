import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { root } from '../root.ts'
import { qd } from '../under-test.ts'
import { writeNew } from './new-files.ts'
import { projectPaths } from './project-files.ts'
import { originOf } from './repository-around.ts'
import { runtimes } from './runtimes.ts'
import { nameFrom } from './wish.ts'

const begin = (directory: string, ...args: string[]) => qd('init', directory, '--runtime', 'node', ...args)

/** What is below a directory, with what files hold. */
const tree = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .map(entry => [entry.name, entry.isFile() && readFileSync(join(entry.parentPath, entry.name), 'utf8')])
    .sort()

test('where files are in the way, all of them are named and nothing is written', async () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.github/workflows'), { recursive: true })
  writeFileSync(join(directory, '.github/workflows/ci.yml'), 'mine')
  writeFileSync(join(directory, 'README.md'), 'mine')
  // A directory of this name is needed; and one that is a link would lead the files elsewhere.
  writeFileSync(join(directory, 'app'), 'mine')
  symlinkSync(temporaryDirectory(), join(directory, 'deploy'))
  symlinkSync('/nowhere', join(directory, 'package.json'))
  const before = tree(directory)
  const { code, stderr } = await begin(directory, '--name', 'hello')
  expect([code, stderr]).toEqual([3, expect.stringContaining('Nothing was written: 5 paths are taken')])
  for (const path of ['.github/workflows/ci.yml', 'README.md', 'app', 'deploy', 'package.json']) {
    expect(stderr).toContain(`  ${path}: is there already\n`)
  }
  expect(tree(directory)).toEqual(before)
  const { stdout } = await begin(directory, '--name', 'hello', '--json')
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'target_exists', errors: { length: 5 } })
})

test('a place that is a file is refused', async () => {
  const file = join(temporaryDirectory(), 'hello')
  writeFileSync(file, 'mine')
  expect(await begin(file)).toMatchObject({ code: 3, stderr: expect.stringContaining('is there already') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('what fails half-way leaves nothing behind, and what was there stays', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'kept'))
  writeFileSync(join(directory, 'kept/taken'), 'mine')
  const files = ['new/deep/one', 'kept/two', 'kept/taken'].map(path => ({ path, content: 'theirs' }))
  const before = tree(directory)
  expect(() => writeNew(directory, files)).toThrow(/kept\/taken.*What was written before was removed/)
  expect(tree(directory)).toEqual(before)
  const absent = join(directory, 'not/yet')
  expect(() => writeNew(absent, [files[0]!, files[0]!])).toThrow(/EEXIST/)
  expect(existsSync(join(directory, 'not'))).toBe(false)
})

test.each([
  ['--name', 'Hello'],
  ['--name', 'a b'],
  ['--name', '../../etc'],
  ['--name', '$(reboot)'],
  ['--name', "x'; import os #"],
  ['--name', ''],
  ['--name', 'a\nb'],
  ['--name', 'x'.repeat(64)],
  ['--repository', 'acme'],
  ['--repository', 'acme/hello/more'],
  ['--repository', 'acme/$(reboot)'],
  ['--repository', 'acme/hello`'],
  ['--runtime', 'ruby'],
])('%s %j is refused as a wrong command line', async (option, value) => {
  const directory = join(temporaryDirectory(), 'hello')
  expect(await begin(directory, option, value)).toMatchObject({ code: 2 })
  expect(existsSync(directory)).toBe(false)
})

test('without a terminal nothing is asked: what is missing is named with its option', async () => {
  const base = temporaryDirectory()
  const noRuntime = await qd('init', join(base, 'hello'))
  expect([noRuntime.code, noRuntime.stderr]).toEqual([3, expect.stringContaining('--runtime python or')])
  const noName = await begin(join(base, '2026'))
  expect([noName.code, noName.stderr]).toEqual([3, expect.stringContaining('Give one with --name')])
  expect(readdirSync(base)).toEqual([])
})

test.each([
  ['hello', 'hello'],
  ['My App', 'my-app'],
  ['2026_report.py', 'report-py'],
  ['-rf', 'rf'],
  ['Ünïcode', 'n-code'],
  ['123', ''],
  [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
])('the directory %j gives the name %j', (directory, name) => {
  expect(nameFrom(directory)).toBe(name)
})

test.each([
  ['https://github.com/acme/hello.git', 'github.com', 'acme/hello'],
  ['https://user:secret@git.example.com:8443/acme/hello/', 'git.example.com:8443', 'acme/hello'],
  ['git@github.com:acme/hello.git', 'github.com', 'acme/hello'],
  ['ssh://git@git.example.com/acme/hello.git', 'git.example.com', 'acme/hello'],
])('origin %s is known', (url, host, repository) => {
  expect(originOf(url)).toEqual({ host, repository })
})

test.each([
  '',
  '/srv/git/hello.git',
  '../hello',
  'https://github.com/group/sub/hello',
  'file:///srv/acme/hello',
])('origin %j tells no repository of a forge', url => {
  expect(originOf(url)).toBeUndefined()
})

test('the templates name the kits by the versions that are built here', () => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const [, python] = /__version__ = "(.+)"/.exec(text('kit-python/src/quarterdeck_kit/__init__.py'))!
  expect(runtimes.python.kit).toBe(`vendor/quarterdeck_kit-${python}-py3-none-any.whl`)
  expect(text('templates/python/requirements.txt')).toContain(`\n./${runtimes.python.kit}\n`)
  const { version } = JSON.parse(text('kit/package.json'))
  expect(runtimes.node.kit).toBe(`vendor/quarterdeck-kit-${version}.tgz`)
  const { dependencies } = JSON.parse(text('templates/node/package.json'))
  expect(dependencies).toEqual({ '@quarterdeck/kit': `file:${runtimes.node.kit}` })
})

test('both templates have what a project must have', () => {
  const common = ['.githooks/commit-msg', '.github/workflows/ci.yml', '.github/workflows/deploy.yml']
  const both = [...common, '.gitignore', 'README.md', 'deploy/README.md', 'deploy/deploy.py']
  expect(projectPaths('python')).toEqual(
    expect.arrayContaining([...both, 'requirements.txt', 'app/__main__.py']),
  )
  expect(projectPaths('node')).toEqual(expect.arrayContaining([...both, 'package-lock.json', 'app/main.js']))
})
