import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPackages } from './node-packages.ts'
import { json } from './node-under-test.ts'
import { tarball } from './npm-registry-under-test.ts'
import { writeFiles } from './under-test.ts'

type Files = Readonly<Record<string, string | Buffer>>

const releaseOf = (files: Files) => writeFiles(join(temporaryDirectory(), 'release'), files)
const read = (files: Files) => readPackages(releaseOf(files))
const identity = async (files: Files) => JSON.stringify((await read(files)).identity)

const lock = (packages: Record<string, unknown>) =>
  json({ name: 'x', version: '1', lockfileVersion: 3, packages })
const base = {
  'package.json': json({
    name: 'x',
    version: '1',
    scripts: { start: 'node .' },
    dependencies: { a: '1', b: '2' },
  }),
  'package-lock.json': lock({ '': { version: '1' }, 'node_modules/a': { version: '1.0.0', integrity: 'i' } }),
}

const manifest = (change: object) => ({
  'package.json': json({ name: 'x', version: '1', dependencies: { a: '1', b: '2' }, ...change }),
})

test.each<[string, Files]>([
  ['its version', manifest({ version: '2' })],
  ['its other scripts', manifest({ scripts: { test: 'vitest', start: 'node main.js' } })],
  ['the order of names', manifest({ dependencies: { b: '2', a: '1' } })],
  ['what is for development', manifest({ devDependencies: { c: '1' } })],
  [
    'a copy of it, or what is for development, in the lock file',
    {
      'package-lock.json': lock({
        'node_modules/a': { integrity: 'i', version: '1.0.0' },
        '': { version: '2', devDependencies: { c: '1' } },
        'node_modules/c': { version: '1.0.0', dev: true },
      }),
    },
  ],
  ['a comment or a secret in .npmrc', { '.npmrc': '; hello\n//r.test/:_authToken=secret\n' }],
  ['the code', { 'index.js': 'new' }],
])('%s makes no other environment', async (_, change) => {
  expect(await identity({ ...base, ...change })).toBe(await identity(base))
})

test.each<[string, Files]>([
  ['a dependency', manifest({ dependencies: { a: '1', b: '3' } })],
  ['an override', manifest({ overrides: { c: '1' } })],
  ['engines', manifest({ engines: { node: '>=20' } })],
  ['an optional dependency', manifest({ optionalDependencies: { c: '1' } })],
  ['an install script', manifest({ scripts: { postinstall: 'true' } })],
  ['the lock file', { 'package-lock.json': lock({ 'node_modules/a': { version: '1.0.1' } }) }],
  ['a shrinkwrap', { 'npm-shrinkwrap.json': lock({ 'node_modules/a': { version: '1.0.1' } }) }],
  ['.npmrc', { '.npmrc': '@x:registry=https://r.test\n' }],
])('%s that changes makes another environment', async (_, change) => {
  expect(await identity({ ...base, ...change })).not.toBe(await identity(base))
})

test('whatever the dependencies are, another version is another identity, another order is not', async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 })
  const version = fc.stringMatching(/^[~^]?[0-9]\.[0-9]$/)
  await fc.assert(
    fc.asyncProperty(names, version, version, async (all, one, other) => {
      const asked = (order: string[], first: string) => ({
        'package.json': json({
          dependencies: Object.fromEntries(order.map(name => [name, name === all[0] ? first : '1'])),
        }),
      })
      expect(await identity(asked(all.toReversed(), one))).toBe(await identity(asked(all, one)))
      expect((await identity(asked(all, one))) === (await identity(asked(all, other)))).toBe(one === other)
    }),
    { numRuns: 30 },
  )
})

const local = {
  'package.json': json({ dependencies: { lib: 'file:lib', t: './t.tgz' }, devDependencies: { d: 'file:d' } }),
}
const t = (version: string) => ({ 't.tgz': tarball({ name: 't', version }) })

test('packages in the release count by their content, those for development do not', async () => {
  const files = {
    ...local,
    ...t('1.0.0'),
    'lib/package.json': '{}',
    'lib/a.js': 'one',
    'd/package.json': '{}',
  }
  const before = await identity(files)
  expect((await read(files)).locals).toEqual(['lib', 't.tgz', 'd'])
  expect(await identity({ ...files, 'lib/a.js': 'two' })).not.toBe(before)
  expect(await identity({ ...files, ...t('2.0.0') })).not.toBe(before)
  expect(await identity({ ...files, 'd/a.js': 'two', 'lib/node_modules/x/a.js': 'x' })).toBe(before)
})

test('packages that packages in the release name are among them, and may lead back', async () => {
  const files = {
    'package.json': json({ dependencies: { a: 'file:libs/a' } }),
    'libs/a/package.json': json({ dependencies: { b: 'file:../b', t: 'file:../../t.tgz' } }),
    'libs/b/package.json': json({ dependencies: { a: 'file:../a' } }),
    ...t('1.0.0'),
  }
  expect((await read(files)).locals).toEqual(['libs/a', 'libs/b', 't.tgz'])
})

test('of workspaces the lists count, not the code', async () => {
  const files = {
    'package.json': json({ workspaces: ['packages/*', '!packages/old'] }),
    'packages/a/package.json': json({ name: 'a', dependencies: { b: 'file:../b' } }),
    'packages/b/package.json': json({ name: 'b', version: '1' }),
    'packages/old/package.json': json({ name: 'old' }),
  }
  const found = await read(files)
  expect(found).toMatchObject({ workspaces: ['packages/a', 'packages/b'], locals: [], count: 1 })
  expect(found.lists).toEqual(['package.json', 'packages/a/package.json', 'packages/b/package.json'])
  const other = { 'packages/b/package.json': json({ name: 'b', version: '2' }), 'packages/a/index.js': 'new' }
  expect(await identity({ ...files, ...other })).toBe(await identity(files))
  const more = { 'packages/b/package.json': json({ name: 'b', dependencies: { c: '1' } }) }
  expect(await identity({ ...files, ...more })).not.toBe(await identity(files))
})

test('with install scripts of its own every file of the commit counts, and nothing else of the release', async () => {
  const files = { 'package.json': json({ scripts: { prepare: 'node build.js' } }), 'build.js': 'one' }
  expect(await identity({ ...files, REVISION: 'abc', 'node_modules/x.js': '' })).toBe(await identity(files))
  expect(await identity({ ...files, 'build.js': 'two' })).not.toBe(await identity(files))
})

test.each<[Files, string]>([
  [{ 'package.json': '{' }, 'package.json is not JSON'],
  [{ 'package.json': '[]' }, 'package.json is not a JSON object.'],
  [{ ...manifest({}), 'package-lock.json': '<<<<<<<' }, 'package-lock.json is not JSON'],
  [{ ...manifest({}), 'yarn.lock': '' }, "yarn.lock is there, but of lock files only npm's is supported"],
  [
    { ...manifest({}), 'pnpm-lock.yaml': '' },
    "pnpm-lock.yaml is there, but of lock files only npm's is supported",
  ],
  [manifest({ dependencies: { a: 'file:../a' } }), 'package.json names ../a, which is outside the release.'],
])('%j is refused', async (files, message) => {
  await expect(read(files)).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringContaining(message),
  })
})

test('without dependencies nothing is needed, whatever the lock files', async () => {
  const empty = { empty: true, count: 0, lists: [] }
  expect(await read({ 'README.md': '' })).toMatchObject(empty)
  expect(
    await read({ 'package.json': json({ devDependencies: { a: '1' } }), 'yarn.lock': '' }),
  ).toMatchObject(empty)
})
