import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { json, nodeIn, nodeProject, nowhere, npmMissing } from './node-under-test.ts'
import { registry, tarball, told } from './npm-registry-under-test.ts'
import { project, recordingRun, writeFiles } from './under-test.ts'

beforeEach(context => {
  if (npmMissing) context.skip(npmMissing)
})

test('a lock file that is behind package.json fails the install in npm’s words', async () => {
  await using server = await registry(told('1'), told('2'))
  const lock = server.lock({ told: '1.0.0' })
  const files = { 'package.json': json({ dependencies: { told: '2.0.0' } }), 'package-lock.json': lock }
  await expect(nodeProject(files, { npm_config_registry: server.url }).build()).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringMatching(
      /not in sync.*Invalid: lock file's told@1\.0\.0 does not satisfy told@2\.0\.0/,
    ),
  })
})

test('packages in the release are copied: the environment leads to no release', async () => {
  const files = {
    'package.json': json({ dependencies: { told: 'file:vendor/told.tgz', lib: 'file:lib' } }),
    'vendor/told.tgz': tarball(told('7')),
    'lib/package.json': json({
      name: 'lib',
      version: '1.0.0',
      dependencies: { told: 'file:../vendor/told.tgz' },
    }),
    'lib/index.js': 'module.exports = "lib with " + require("told")',
    'app.js': 'console.log(require("lib"), require.resolve("lib"))',
  }
  const { build, say } = nodeProject(files)
  const { environment } = await build()
  expect(await say(environment, 'node', 'app.js')).toBe(
    `lib with 7.0.0 ${join(realpathSync(environment), 'lib/index.js')}`,
  )
})

test('nothing for development is installed, and nothing is written but environment, cache and link', async () => {
  await using server = await registry(told('1'), { name: 'tool', version: '1.0.0' })
  const manifest = { dependencies: { told: '1' }, devDependencies: { tool: '1' } }
  const files = { 'package.json': json(manifest), '.npmrc': '//x/:_authToken=hidden\n' }
  const { build, directory, release } = nodeProject(files, { npm_config_registry: server.url })
  const { environment } = await build()
  expect(readdirSync(join(environment, 'node_modules'))).toEqual(['.package-lock.json', 'told'])
  expect(readdirSync(directory).toSorted()).toEqual(['home', 'projects'])
  expect(readdirSync(join(directory, 'home/cache'))).toEqual(['npm'])
  expect(readdirSync(release).toSorted()).toEqual(['.npmrc', 'node_modules', 'package.json'])
  expect(readdirSync(environment).toSorted()).toEqual([
    '.complete',
    '.quarterdeck',
    'node_modules',
    'package.json',
  ])
})

test('a registry that is away is told in npm’s words, and secrets stay out of them', async () => {
  const files = {
    'package.json': json({ dependencies: { told: '1' } }),
    '.npmrc': 'fetch-retries=0\n//127.0.0.1:9/:_authToken=hidden\n',
  }
  const failed = nodeProject(files, { npm_config_registry: nowhere.replace('//', '//me:hidden@') }).build()
  await expect(failed).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringMatching(/request to http:\/\/127\.0\.0\.1:9\/told failed.*could not be reached/),
  })
  await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('hidden') })
})

test('only named variables of the agent reach npm and programs', async () => {
  const env = {
    SECRET: 'x',
    npm_config_prefix: '/elsewhere',
    NODE_OPTIONS: '--x',
    HTTPS_PROXY: 'http://proxy',
  }
  const { build, programs, say } = nodeProject(
    { 'package.json': json({ scripts: { install: 'true' } }) },
    env,
  )
  const { environment } = await build()
  const names = new Set(programs.flatMap(program => Object.keys(program.env)))
  expect(names).toContain('HTTPS_PROXY')
  expect([...names].filter(name => ['SECRET', 'npm_config_prefix', 'NODE_OPTIONS'].includes(name))).toEqual(
    [],
  )
  const seen = await say(environment, 'node', '-p', 'JSON.stringify(process.env)')
  expect(JSON.parse(seen)).toMatchObject({ NODE_ENV: 'production' })
  expect(seen).not.toContain('proxy')
})

test('an .npmrc that a script leaves in its home is not read; the one that the agent names is, and counts', async () => {
  await using server = await registry(told('1'))
  const files = { 'package.json': json({ dependencies: { told: '1' } }) }
  const made = nodeProject(files, { npm_config_registry: server.url })
  writeFiles(made.directory, {
    'home/cache/npm/.npmrc': 'offline=true\n',
    'given.npmrc': 'install-links=true\n',
  })
  const { plan } = await made.build()
  const file = join(made.directory, 'given.npmrc')
  const env = { npm_config_registry: server.url, npm_config_userconfig: file }
  const runtime = nodeIn(made.directory, env)
  const wanted = project({ runtime: 'node' })
  expect((await runtime.plan(made.release, wanted, made.run)).hash).not.toBe(plan.hash)
})

test('where there is no npm, that is said', async context => {
  if (existsSync(join(process.execPath, '../npm'))) context.skip('the Node of this test has an npm beside it')
  const { directory, release } = nodeProject({ 'package.json': json({ dependencies: { told: '1' } }) })
  const bin = join(directory, 'bare')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  const runtime = nodeIn(directory, { PATH: bin })
  const [wanted, { run }] = [project({ runtime: 'node' }), recordingRun()]
  const plan = await runtime.plan(release, wanted, run)
  await expect(runtime.build(plan, join(directory, 'to'), release, wanted, run)).rejects.toMatchObject({
    message: expect.stringMatching(/^There is no npm beside .*node or on the PATH/),
  })
})

test('scripts of the project run with its files beside them, and what they say in failing is told', async () => {
  const scripts = { postinstall: 'node tools/after.js' }
  const good = 'require("fs").writeFileSync("node_modules/made.js", "module.exports = 5")'
  const files = {
    'package.json': json({ scripts, dependencies: { told: 'file:told.tgz' } }),
    'told.tgz': tarball(told('1')),
  }
  const { build, say } = nodeProject({ ...files, 'tools/after.js': good })
  const { environment } = await build()
  expect(await say(environment, 'node', '-p', 'require("made")')).toBe('5')
  expect(readFileSync(join(environment, 'tools/after.js'), 'utf8')).toBe(good)
  const bad = nodeProject({
    ...files,
    'tools/after.js': 'console.error("no compiler here"); process.exit(3)',
  })
  await expect(bad.build()).rejects.toMatchObject({
    code: 'install_failed',
    message: 'package.json: its install script `node tools/after.js` failed: no compiler here',
  })
})

test('a file of the commit never takes the place of what the environment has of its own', async () => {
  const bait = { '.quarterdeck/bin/node': 'bait', 'bin/node': 'bait', '.complete': '{}', '.tmp/x': '' }
  const files = { 'package.json': json({ scripts: { install: 'node -p 1' } }), ...bait }
  const { build, say, release } = nodeProject(files)
  const before = statSync(process.execPath)
  const { environment } = await build()
  expect(await say(environment, 'node', '-p', 'process.execPath')).toBe(process.execPath)
  expect(statSync(process.execPath)).toMatchObject({ size: before.size, mtimeMs: before.mtimeMs })
  expect(readFileSync(join(release, '.quarterdeck/bin/node'), 'utf8')).toBe('bait')
})
