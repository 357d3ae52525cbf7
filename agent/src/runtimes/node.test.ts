import { existsSync, mkdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { json, nodeIn, nodeProject, npmMissing } from './node-under-test.ts'
import { registry, told } from './npm-registry-under-test.ts'
import { runtimeSuite } from './suite.ts'
import { writeFiles } from './under-test.ts'

const shared = await registry(told('1'), told('2'))
afterAll(async () => await shared[Symbol.asyncDispose]())

runtimeSuite({
  name: 'node',
  missing: npmMissing,
  runtime: directory => nodeIn(directory, { npm_config_registry: shared.url }),
  writeRelease: (release, version) =>
    writeFiles(release, {
      'package.json': json({ dependencies: { told: `${version}.0.0` } }),
      'app.js': 'console.log(require("told")[0])\nconsole.log(process.env.GREETING)\n',
    }),
  start: ['node', 'app.js'],
})

beforeEach(context => {
  if (npmMissing) context.skip(npmMissing)
})

test('by a lock file exactly what it says is installed, and found by both kinds of modules', async () => {
  await using server = await registry(told('1'), told('2'))
  const files = {
    'package.json': json({ dependencies: { told: '>=1' } }),
    'package-lock.json': server.lock({ told: '1.0.0' }).replace('"told":"1.0.0"', '"told":">=1"'),
    'old.cjs': 'console.log(require("told"), require.resolve("told"))',
    'lib/new.mjs': 'import told from "told"\nconsole.log(told, process.env.NODE_ENV)',
  }
  const { build, say, layout, release, programs } = nodeProject(files, { npm_config_registry: server.url })
  const { plan, environment } = await build()
  expect(plan.summary).toBe(`1 dependency, Node ${process.versions.node}`)
  expect(plan.lists).toEqual(['package.json', 'package-lock.json'])
  expect(programs.some(({ args }) => args.includes('ci'))).toBe(true)
  const resolved = join(realpathSync(environment), 'node_modules/told/index.js')
  expect(await say(environment, 'node', 'old.cjs')).toBe(`1.0.0 ${resolved}`)
  expect(await say(environment, 'node', 'lib/new.mjs')).toBe('1.0.0 production')
  symlinkSync('releases/1', layout.current)
  expect(await say(environment, 'node', join(layout.current, 'lib/new.mjs'))).toBe('1.0.0 production')
  expect(readlinkSync(join(release, 'node_modules'))).toBe(`../../environments/${plan.hash}/node_modules`)
})

test('a bin of a dependency is started, with the project’s own interpreter', async () => {
  const script = '#!/usr/bin/env node\nconsole.log("greets", process.execPath)'
  const bin = {
    name: 'greeter',
    version: '1.0.0',
    files: { 'cli.js': script },
    manifest: { bin: { greet: 'cli.js' } },
  }
  await using server = await registry(bin)
  const made = nodeProject(
    { 'package.json': json({ dependencies: { greeter: '1' } }) },
    { npm_config_registry: server.url },
  )
  const { environment } = await made.build()
  expect(await made.say(environment, 'greet')).toBe(`greets ${process.execPath}`)
})

test('without a package.json there is nothing to install, and the commit’s own node_modules stays', async () => {
  const files = {
    'app.js': 'console.log(require("own"))',
    'node_modules/own/index.js': 'module.exports = "own"',
  }
  const { build, say, programs } = nodeProject(files)
  const { plan, environment } = await build()
  expect(plan).toMatchObject({
    empty: true,
    lists: [],
    summary: expect.stringMatching(/^no dependencies, Node/),
  })
  expect(await say(environment, 'node', 'app.js')).toBe('own')
  expect(programs.some(({ args }) => args.includes('install'))).toBe(false)
})

test('a node_modules in the commit is refused where packages are to be installed', async () => {
  const files = { 'package.json': json({ dependencies: { told: '1' } }), 'node_modules/own/index.js': '' }
  const { build, environments, programs } = nodeProject(files)
  await expect(build()).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringMatching(/^The commit has a node_modules of its own/),
  })
  expect(await environments.list()).toEqual([])
  expect(programs).toHaveLength(1)
})

test('another environment takes the place of the one before in the link', async () => {
  const { build, release, runtime } = nodeProject({ 'package.json': json({}) })
  const { environment } = await build()
  expect(existsSync(join(release, 'node_modules'))).toBe(false)
  for (const name of ['a', 'b']) {
    const other = join(environment, '..', name)
    mkdirSync(join(other, 'node_modules'), { recursive: true })
    await runtime.attach(release, other)
    expect(readlinkSync(join(release, 'node_modules'))).toBe(`../../environments/${name}/node_modules`)
  }
  await runtime.attach(release, environment)
  expect(existsSync(join(release, 'node_modules'))).toBe(false)
})
