/** On one server with a real systemd: what a project, an operator or the machine itself may do to a deploy, and what comes of it. */
import { Machine, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { attempts, builtPackage, reach, service } from './server-services.ts'
import { home, type ProjectOnServer, Server } from './server-under-test.ts'

const missing = Machine.missing()
const start = ['python', '-m', 'app']
let server: Server
let other: ProjectOnServer

beforeAll(async () => {
  if (missing) return
  server = await Server.install()
  other = await server.project('other', [], start)
  expect(await other.deploy(await other.push({ 'app/__main__.py': service }))).toMatchObject({
    status: 'succeeded',
  })
})
afterAll(() => server?.machine.remove())
beforeEach(context => {
  if (missing) context.skip(missing)
})

const tries = 'import attempts; report = attempts.report()'
const prepare = 'python -c "import json, attempts; print(json.dumps(attempts.report()))"'

test('a hostile project gets hold of nothing but its own: in its build, before the restart, as a service', async () => {
  const project = await server.project('hostile', ['--before-restart', prepare], start)
  const files = { 'app/__main__.py': service, 'attempts.py': attempts, 'lib/attempts.py': attempts }
  const first = await project.deploy(await project.push({ ...files, ...builtPackage('hello', tries) }))
  expect(first).toMatchObject({ status: 'succeeded', error: null })
  const { report: build } = await project.ask('/greeting')
  const step = JSON.parse((await project.log(first.id)).match(/\{"uid".*\}/)![0])
  const running = await project.ask('/try')
  expect(build).toMatchObject({ done: [], tried: 21 })
  expect(step).toMatchObject({ done: ['write own data'], tried: 21 })
  expect(running).toMatchObject({ done: ['write own data'], tried: 21 })
  // All of it is there to be had, for who may.
  const { stdout } = await server.machine.run('python3', ['-c', `${attempts}\nprint(report())`])
  expect(stdout).toContain("'tried': 21")
  expect(stdout.split("', '").length).toBe(21)
  const user = Number((await server.machine.ok('id', '--user', 'qd-hostile')).trim())
  expect([step.uid, running.uid]).toEqual([user, user])
  expect([0, user]).not.toContain(build.uid)
})

test('a build has a cache of its own, and no way into a build of another project that runs beside it', async () => {
  const { machine } = server
  const [victim, spy] = [await server.project('victim', [], start), await server.project('spy', [], start)]
  const files = { 'app/__main__.py': service, 'reach.py': reach, 'lib/reach.py': reach }
  const waits = 'import reach; reach.leave("cached"); reach.wait_for_spy()'
  const id = await victim.begin(await victim.push({ ...files, ...builtPackage('hello', waits) }))
  const cached = (name: string) => `${home}/cache/${name}/cache/pip/cached`
  const isThere = async (path: string) => (await machine.run('ls', [path])).code === 0
  await until('the other build is under way', () => isThere(cached('victim')), 30_000)
  const spies = 'import reach; report = reach.into("victim"); reach.leave("over")'
  const run = await spy.deploy(await spy.push({ ...files, ...builtPackage('hello', spies) }))
  expect(run).toMatchObject({ status: 'succeeded', error: null })
  const { report } = await spy.ask('/greeting')
  expect(report).toMatchObject({ done: [], cached: false })
  expect(report).not.toMatchObject({ tried: 0 })
  await machine.ok('touch', `${home}/cache/victim/cache/pip/spied`)
  expect(await victim.ended(id)).toMatchObject({ status: 'succeeded', error: null })
  // The cache is there for the next build, and goes with the project.
  expect(await isThere(cached('victim'))).toBe(true)
  await server.qd('project', 'archive', 'victim', '--yes')
  await until('its cache is gone', async () => !(await isThere(`${home}/cache/victim`)))
  expect(await isThere(`${home}/cache/spy`)).toBe(true)
})

test('a step before the restart that fails leaves the service undisturbed', async () => {
  const project = await server.project('step', ['--before-restart', 'python step.py'], start)
  const good = await project.push({
    'app/__main__.py': service,
    'step.py': 'open("../../data/migrated", "w")',
  })
  expect(await project.deploy(good)).toMatchObject({ status: 'succeeded' })
  const owner = await server.machine.ok('stat', '--format=%U', `${project.root}/data/migrated`)
  expect(owner.trim()).toBe('qd-step')
  const run = await project.deploy(await project.push({ 'step.py': 'raise SystemExit(4)' }))
  expect(run).toMatchObject({ status: 'failed', error: { code: 'before_restart_failed' } })
  expect([await project.version(), project.starts()]).toEqual([good, [good]])
})

test('cancelled while an install hangs, the whole of it is gone and the service undisturbed', async () => {
  const good = await other.version()
  const hangs = 'subprocess.Popen(["sleep", "4242"], start_new_session=True)\ntime.sleep(600)'
  const id = await other.begin(await other.push(builtPackage('never', hangs)))
  await until(
    'it hangs',
    async () => (await server.machine.run('pgrep', ['-f', 'sleep 4242'])).code === 0,
    30_000,
  )
  await server.qd('cancel', id)
  expect(await other.ended(id)).toMatchObject({ status: 'cancelled' })
  expect((await server.machine.run('pgrep', ['-fl', 'sleep 4242|backend'])).stdout).toBe('')
  expect(await server.transientUnits()).toBe('')
  expect([await other.version(), other.starts()]).toEqual([good, [good]])
})

test('root may use git in work/, the project’s user may not, and a deploy goes on from there', async () => {
  const { machine } = server
  const work = `${other.root}/work`
  const first = await other.version()
  const second = await other.push({ 'requirements.txt': '', 'docs/a.md': 'a' })
  expect(await other.deploy(second)).toMatchObject({ status: 'succeeded' })
  // A fetch alone leaves objects behind that are root's.
  const third = await other.push({ 'docs/b.md': 'b' })
  await machine.ok('git', '-C', work, 'fetch', '--quiet', other.path, 'main')
  expect(await other.deploy(third)).toMatchObject({ status: 'succeeded', error: null })
  // Files and index become root's.
  await machine.ok('git', '-C', work, 'checkout', '--quiet', first)
  await machine.ok('git', '-C', work, 'checkout', '--quiet', 'main')
  const fourth = await other.push({ 'docs/b.md': 'c' })
  expect(await other.deploy(fourth)).toMatchObject({ status: 'succeeded', error: null })
  const touched = await machine.run('touch', [`${work}/docs/b.md`], { user: 'qd-other' })
  expect(touched.code).not.toBe(0)
  // Changed by root: never overwritten.
  await machine.run('tee', [`${work}/docs/b.md`], { input: 'mine' })
  const fifth = await other.push({ 'docs/b.md': 'd' })
  const refused = await other.deploy(fifth)
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'working_copy_dirty' } })
  expect(refused.error!.message).toContain('docs/b.md')
  expect(await other.version()).toBe(fourth)
  await machine.ok('git', '-C', work, 'checkout', '--quiet', '--', 'docs/b.md')
  const sixth = await other.push({ 'docs/b.md': 'e' })
  expect(await other.deploy(sixth)).toMatchObject({ status: 'succeeded', error: null })
})

test('a user of that name who is somebody else’s is left alone, and nothing runs as them', async () => {
  const { machine } = server
  await machine.ok('useradd', '--create-home', '--comment', 'Somebody', 'qd-taken')
  const options = ['--before-restart', "python -c \"open('/home/qd-taken/was-here', 'w')\""]
  const project = await server.project('taken', options, start)
  const run = await project.deploy(await project.push({ 'app/__main__.py': service }))
  expect(run).toMatchObject({ status: 'failed' })
  expect(run.error!.message).toContain('The user qd-taken is there and was not made by Quarterdeck')
  expect((await machine.run('ls', ['/home/qd-taken/was-here'])).code).not.toBe(0)
  expect(await other.version()).toBeTruthy()
})

test('a full disk under a project fails its run in words, and what runs goes on', async () => {
  const { machine } = server
  await machine.ok('mkdir', '--parents', `${home}/projects/small`)
  await machine.ok('mount', '-t', 'tmpfs', '-o', 'size=320m,mode=0755', 'tmpfs', `${home}/projects/small`)
  const project = await server.project('small', [], start)
  const good = await project.push({ 'app/__main__.py': service })
  expect(await project.deploy(good)).toMatchObject({ status: 'succeeded', error: null })
  const fill = (size: string) => machine.run('fallocate', ['--length', size, `${project.root}/filler`])
  await fill('200M')
  const early = await project.deploy(await project.push(builtPackage('more', 'pass')))
  expect(early).toMatchObject({ status: 'failed', error: { code: 'disk_full' } })
  await machine.run('dd', ['if=/dev/zero', `of=${project.root}/rest`, 'bs=64K'])
  const late = await project.deploy(await project.push({ 'big.txt': 'x'.repeat(300_000) }))
  expect(late).toMatchObject({ status: 'failed', error: { code: 'disk_full' } })
  // In a mount, which only the machine itself sees.
  const starts = await machine.ok('cat', `${project.root}/data/starts`)
  expect([await project.version(), starts]).toEqual([good, `${good}\n`])
  await machine.ok('rm', `${project.root}/rest`, `${project.root}/filler`)
  const next = await project.push({ 'requirements.txt': '' })
  expect(await project.deploy(next)).toMatchObject({ status: 'succeeded', error: null })
})

test('the agent’s clock set back by an hour during a run does not disturb it', async () => {
  const { machine } = server
  await machine.run('tee', ['/srv/clock.mjs'], { input: clockSetBack })
  await server.agentSetting('clock', 'Environment=NODE_OPTIONS=--import=/srv/clock.mjs')
  const ref = await other.push({ 'docs/clock.md': 'late' })
  const id = await other.begin(ref)
  await other.reached(id, 'restarting')
  await machine.ok('touch', '/srv/set-back')
  expect(await other.ended(id)).toMatchObject({ status: 'succeeded', error: null })
  expect(await other.deploy(await other.push({ exits: 'yes' }))).toMatchObject({
    status: 'failed',
    restored_sha: ref,
  })
  const last = await other.push({ exits: null })
  expect(await other.deploy(last)).toMatchObject({ status: 'succeeded', error: null })
  expect(await other.version()).toBe(last)
})

/** The clock of the machine is the host's, which no test may set: the agent is given one of its own. */
const clockSetBack = `
import { existsSync } from 'node:fs'
const now = Date.now
const off = () => (existsSync('/srv/set-back') ? 3_600_000 : 0)
Date.now = () => now() - off()
globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length > 0 ? args : [now() - off()]))
  }
}
`
