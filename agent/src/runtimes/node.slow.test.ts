import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { PlacedProject } from '@quarterdeck/contract'
import { until } from '@quarterdeck/testing'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { agentUnderTest } from '../under-test.ts'
import { json, nodePath, nodeProject, nowhere, npmMissing } from './node-under-test.ts'
import { tarball } from './npm-registry-under-test.ts'
import { recordingRun } from './under-test.ts'

beforeEach(context => {
  if (npmMissing) context.skip(npmMissing)
})

const told = (version: string, files?: Record<string, string>, manifest = {}) =>
  tarball({ name: 'told', version, manifest, ...(files && { files }) })

/** Needs `told`, and answers with what it is. */
const service = `
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import told from 'told'
const sha = readFileSync('REVISION', 'utf8').trim()
const answers = { '/healthz': { ok: true }, '/readyz': { ok: true, checks: [] }, '/version': { sha, pid: process.pid, told } }
createServer((request, response) => response.end(JSON.stringify(answers[request.url] ?? {})))
  .listen(Number(process.env.PORT), process.env.HOST)
`

const nodeService = (given: PlacedProject): PlacedProject => ({
  ...given,
  runtime: 'node',
  interpreter: null,
  processes: given.processes.map(process => ({ ...process, start: ['node', 'main.js'] })),
})

/** Package files as text, since commits of the test are. */
const files = (version: string) => ({
  'package.json': json({ type: 'module', dependencies: { told: 'file:told' } }),
  'told/package.json': json({ name: 'told', version }),
  'told/index.js': `module.exports = ${JSON.stringify(version)}`,
  'main.js': service,
})

test('a service is deployed, changed, broken and put back, each with its own packages', async () => {
  await using here = await agentUnderTest({ env: { PATH: nodePath, npm_config_registry: nowhere } })
  here.project = nodeService(here.project)
  const deploy = async (version: string, more: Record<string, string> = {}) => {
    const sha = here.remote.commit({ ...files(version), ...more })
    const ended = await here.deploy()
    return { sha, ended, install: ended.progress.steps.find(({ name }) => name === 'install') }
  }
  const first = await deploy('1.0.0')
  expect(first.ended).toMatchObject({ status: 'succeeded', error: null })
  expect(here.textOf(first.ended)).toMatch(/building an environment: 1 dependency/)
  expect(await here.version()).toMatchObject({ sha: first.sha, told: '1.0.0' })
  expect(await deploy('1.0.0', { 'README.md': 'new' })).toMatchObject({ install: { status: 'skipped' } })
  const second = await deploy('2.0.0')
  expect(await here.version()).toMatchObject({ sha: second.sha, told: '2.0.0' })
  const broken = await deploy('3.0.0', { 'main.js': 'import "no-such-package"' })
  expect(broken.ended).toMatchObject({ status: 'failed', restored_sha: second.sha })
  expect(here.textOf(broken.ended)).toMatch(/Cannot find package 'no-such-package'/)
  expect(await here.version()).toMatchObject({ sha: second.sha, told: '2.0.0' })
  const back = await here.deploy({ kind: 'rollback', ref: first.sha })
  expect(back).toMatchObject({ status: 'succeeded' })
  expect(await here.version()).toMatchObject({ sha: first.sha, told: '1.0.0' })
  expect(readlinkSync(join(here.layout.current, 'node_modules'))).toMatch(/^\.\.\/\.\.\/environments\//)
})

test('a checked-in node_modules fails the run before the service is touched, and says so', async () => {
  await using here = await agentUnderTest({ env: { PATH: nodePath, npm_config_registry: nowhere } })
  here.project = nodeService(here.project)
  here.remote.commit({ ...files('1.0.0'), 'node_modules/told/index.js': '' })
  expect(await here.deploy()).toMatchObject({
    status: 'failed',
    error: { code: 'install_failed', message: expect.stringContaining('node_modules of its own') },
  })
})

test('an npm that is killed half-way leaves nothing that is taken for finished, and the next build is whole', async () => {
  // Waits as long as there is a file, so that the test knows where it is.
  const script =
    'const { existsSync, writeFileSync } = require("fs"); writeFileSync(process.env.HOME + "/began", "");' +
    'const look = () => existsSync(process.env.HOME + "/wait") && setTimeout(look, 20); look()'
  const slow = told(
    '1.0.0',
    { 'index.js': 'module.exports = "whole"', 'wait.js': script },
    { scripts: { install: 'node wait.js' } },
  )
  const made = nodeProject({
    'package.json': json({ dependencies: { told: 'file:told.tgz' } }),
    'told.tgz': slow,
  })
  const home = join(made.directory, 'home/cache/npm')
  mkdirSync(join(home, 'wait'), { recursive: true })
  const abort = new AbortController()
  const building = made.build(made.release, recordingRun(abort.signal).run)
  building.catch(() => undefined)
  await until('the install script runs', () => existsSync(join(home, 'began')), 30_000)
  const [unfinished] = await made.environments.list()
  expect(unfinished).toMatchObject({ marker: null })
  abort.abort()
  await expect(building).rejects.toMatchObject({ why: 'cancelled' })
  expect(await made.environments.list()).toEqual([])
  // As a crash of the agent leaves it.
  mkdirSync(join(made.layout.environment(unfinished!.hash), 'node_modules/told'), { recursive: true })
  spawnSync('rmdir', [join(home, 'wait')])
  const { environment } = await made.build()
  expect(await made.say(environment, 'node', '-p', 'require("told")')).toBe('whole')
})

test('a disk that fills up is told as that, and room is made again', async context => {
  const large = told('1.0.0', { 'index.js': 'x'.repeat(4 * 1024 * 1024) })
  const { build, environments, layout } = nodeProject({
    'package.json': json({ dependencies: { told: 'file:told.tgz' } }),
    'told.tgz': large,
  })
  mkdirSync(layout.environments, { recursive: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', layout.environments])
  if (mounted.status !== 0) context.skip('only root can mount a small disk')
  onTestFinished(() => void spawnSync('umount', [layout.environments]))
  await expect(build()).rejects.toMatchObject({ code: 'disk_full' })
  expect(await environments.list()).toEqual([])
})
