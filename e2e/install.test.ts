/** A server from `qd install` to `qd uninstall --purge`, on a machine with a real systemd. */
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Machine, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { service } from './deploy/server-services.ts'
import { remoteIn } from './deploy/server-under-test.ts'

const checkout = join(import.meta.dirname, '..')
const units = ['quarterdeck.service', 'quarterdeck-agent.service']
const home = '/var/lib/quarterdeck/control'

let machine: Machine

beforeAll(async () => {
  if (!Machine.missing()) machine = await Machine.boot()
})

afterAll(() => machine?.remove())

beforeEach(context => {
  const missing = Machine.missing()
  if (missing) context.skip(missing)
})

/** From the checkout, as before there is a launcher. */
const fromCheckout = (...args: string[]) =>
  machine.run(process.execPath, [join(checkout, 'cli/src/main.ts'), ...args])

async function install(...args: string[]) {
  const { code, stdout, stderr } = await fromCheckout('install', '--allow-any-place', '--json', ...args)
  expect(code, `${stdout}${stderr}`).toBe(0)
  return JSON.parse(stdout)
}

async function uninstall(...args: string[]) {
  const { code, stdout, stderr } = await fromCheckout('uninstall', '--json', ...args)
  expect(code, `${stdout}${stderr}`).toBe(0)
  return JSON.parse(stdout)
}

const inside = (path: string) => join(machine.root, path)
const onDisk = () => [
  ...globSync(
    [
      'etc/systemd/system/{quarterdeck,qd-}*',
      'etc/systemd/system/*.wants/{quarterdeck,qd-}*',
      'usr/local/bin/{qd,quarterdeck}',
      'var/lib/quarterdeck',
      'var/cache/quarterdeck*',
      'etc/quarterdeck',
    ],
    { cwd: machine.root },
  ),
  ...(readFileSync(inside('etc/passwd'), 'utf8').match(/^(?:quarterdeck|qd-[\w-]+)(?=:)/gm) ?? []),
]
const pids = async () =>
  (await machine.ok('systemctl', 'show', '--value', '--property=MainPID', ...units))
    .split('\n')
    .filter(Boolean)
const active = async () => (await machine.run('systemctl', ['is-active', ...units])).stdout
const ready = async () => (await machine.ask(8300, '/readyz')).status === 200

test('what cannot be is refused, and a dry run changes nothing', async () => {
  const before = onDisk()
  const asNobody = await machine.run(process.execPath, [join(checkout, 'cli/src/main.ts'), 'install'], {
    user: 'nobody',
  })
  expect([asNobody.code, asNobody.stderr]).toEqual([3, expect.stringContaining('Only root can do this')])
  await machine.ok('mkdir', '/tmp/code')
  await machine.ok('mount', '--bind', checkout, '/tmp/code')
  const unsafe = await machine.run(process.execPath, ['/tmp/code/cli/src/main.ts', 'install'])
  expect([unsafe.code, unsafe.stderr]).toEqual([3, expect.stringContaining('/tmp/code lies below /tmp.')])
  await machine.ok('umount', '/tmp/code')
  await machine.ok('useradd', '--shell', '/bin/bash', 'quarterdeck')
  const taken = await fromCheckout('install', '--allow-any-place')
  expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining('The user quarterdeck is there')])
  await machine.ok('userdel', 'quarterdeck')
  const wrong = await fromCheckout('install', '--allow-any-place', '--domain', 'No Domain')
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('domain')])
  const planned = await install('--dry-run')
  expect(planned.steps.map(({ state }: { state: string }) => state)).not.toContain('done')
  expect(planned.changed).toBe(planned.steps.length)
  expect(onDisk()).toEqual(before)
})

test('one command, and it runs: hardened, answering, with qd for root', async () => {
  const told = await install()
  expect(told).toMatchObject({
    front_page: 'http://localhost:8300',
    admin: 'http://admin.localhost:8300',
    token_file: `${home}/operator.token`,
  })
  expect(await active()).toBe('active\nactive\n')
  expect(await ready()).toBe(true)
  const owners = ['control', 'agent', 'projects', 'cache'].map(name =>
    machine.ok('stat', '--format=%U %a', `/var/lib/quarterdeck/${name}`),
  )
  expect(await Promise.all(owners)).toEqual(['quarterdeck 700\n', 'root 700\n', 'root 755\n', 'root 700\n'])
  expect(await machine.ok('stat', '--format=%U:%G %a', '/etc/quarterdeck/quarterdeck.yaml')).toBe(
    'root:quarterdeck 640\n',
  )
  const [control = '', agent = ''] = await pids()
  expect(await machine.ok('ps', '-o', 'user=', '-p', control)).toBe('quarterdeck\n')
  expect(await machine.ok('ps', '-o', 'user=', '-p', agent)).toBe('root\n')
  await machine.ok('systemd-analyze', 'security', '--threshold=30', '--no-pager', 'quarterdeck.service')
  const journal = await machine.ok('journalctl', '--output=cat', '--unit=quarterdeck-agent')
  expect(journal).toContain('connected to control')
  // Its pages are rendered by a process of its own, in the same sandbox.
  const manual = await machine.ask(8300, '/deploying', { host: 'docs.localhost' })
  expect([manual.status, manual.text]).toEqual([200, expect.stringContaining('Going back')])
  const own = await machine.ask(8301, '/version')
  expect(JSON.parse(own.text)).toEqual({
    name: 'agent',
    sha: JSON.parse((await machine.ask(8300, '/version')).text).sha,
  })
  await until('the agent is ready', async () => (await machine.ask(8301, '/readyz')).status === 200)
  expect((await machine.ask(8301, '/api/projects')).status).toBe(404)
})

test('root can add a project right away, and nobody else', async () => {
  const options = ['--repository', 'acme/hello', '--git', 'https://git.test/acme/hello.git']
  await machine.ok('qd', 'project', 'add', 'hello', ...options, '--', 'python', '-m', 'app')
  expect(await machine.ok('quarterdeck', 'project', 'list')).toContain('hello')
  const token = readFileSync(inside(`${home}/operator.token`), 'utf8').trim()
  const asked = { host: 'admin.localhost', headers: { authorization: `Bearer ${token}` } }
  expect((await machine.ask(8300, '/api/projects', asked)).text).toContain('"hello"')
  expect((await machine.run('qd', ['project', 'list'], { user: 'nobody' })).code).toBe(4)
  expect(await machine.ok('qd', 'doctor')).toContain('quarterdeck.service active')
})

test('anybody on the server can begin a project, of either runtime', async () => {
  await machine.ok('mkdir', '--mode=777', '/srv/begun')
  for (const runtime of ['python', 'node']) {
    const options = ['--runtime', runtime, '--json']
    const made = await machine.run('qd', ['init', `/srv/begun/${runtime}`, ...options], { user: 'nobody' })
    expect([made.code, `${made.stdout}${made.stderr}`]).toEqual([
      0,
      expect.stringContaining('vendor/quarterdeck'),
    ])
  }
})

test('a second time nothing is changed, nor restarted', async () => {
  const before = await pids()
  const again = await install()
  expect(again.changed).toBe(0)
  expect(await pids()).toEqual(before)
})

test('after a reboot everything is back', async () => {
  await machine.reboot()
  await until('the edge answers', () => ready().catch(() => false), 30_000)
  expect(await active()).toBe('active\nactive\n')
  expect(await machine.ok('qd', 'project', 'list')).toContain('hello')
  expect((await install()).changed).toBe(0)
})

test('a unit that was edited by hand is kept beside ours, and the service restarted', async () => {
  const file = inside('etc/systemd/system/quarterdeck.service')
  const ours = readFileSync(file, 'utf8')
  writeFileSync(file, ours.replace('RestartSec=2', 'RestartSec=7'))
  const [before, agentBefore] = await pids()
  const planned = await install('--dry-run')
  expect(planned.changed).toBe(2)
  expect((await install()).changed).toBe(2)
  const [after, agentAfter] = await pids()
  expect([readFileSync(file, 'utf8') === ours, after === before, agentAfter === agentBefore]).toEqual([
    true,
    false,
    true,
  ])
  const [kept = ''] = globSync(`${file}.edited-*`)
  expect(readFileSync(kept, 'utf8')).toContain('RestartSec=7')
})

test('another port in the configuration counts from the next install on, one of the system too', async () => {
  const file = inside('etc/quarterdeck/quarterdeck.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('8300', '80'))
  expect((await install()).front_page).toBe('http://localhost')
  expect((await machine.ask(80, '/readyz')).status).toBe(200)
  const wrong = await fromCheckout('install', '--allow-any-place', '--port', '8300')
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('--port 8300 is not as in')])
  writeFileSync(file, readFileSync(file, 'utf8').replace('80', '8300'))
  await install()
})

test('a port that is taken is told with the words of the log', async () => {
  await machine.ok('systemctl', 'stop', ...units)
  await machine.ok(
    'systemd-run',
    '--unit=taken',
    process.execPath,
    '-e',
    'require("net").createServer().listen(8300)',
  )
  await until('the port is taken', async () => (await machine.ok('ss', '-Hltn')).includes(':8300'))
  const refused = await fromCheckout('install', '--allow-any-place')
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('quarterdeck.service does not stay up')
  expect(refused.stderr).toContain('8300')
  await machine.ok('systemctl', 'stop', 'taken')
  await install()
})

test('after an uninstall and an install what ran runs again, and what was stopped stays so', async () => {
  const remote = await remoteIn(machine, '/srv/code')
  await remote.push({ 'app/__main__.py': service })
  for (const name of ['goes-on', 'rests']) {
    const options = [
      '--repository',
      `acme/${name}`,
      '--git',
      remote.path,
      '--interpreter',
      '/usr/bin/python3',
    ]
    await machine.ok('qd', 'project', 'add', name, ...options, '--', 'python', '-m', 'app')
    await machine.ok('qd', 'deploy', name)
  }
  await machine.ok('qd', 'stop', 'rests')
  await uninstall()
  expect(onDisk().filter(path => path.includes('system/qd-'))).toEqual([])
  await install()
  const answers = async () => (await machine.ask(8300, '/healthz', { host: 'goes-on.localhost' })).status
  await until('it answers again', async () => (await answers()) === 200, 20_000)
  const states = () => machine.run('systemctl', ['is-active', 'qd-goes-on', 'qd-rests'])
  expect((await states()).stdout).toBe('active\ninactive\n')
  expect(await machine.ok('systemctl', 'is-enabled', 'qd-goes-on')).toBe('enabled\n')
  await machine.ok('qd', 'start', 'rests')
  expect((await states()).stdout).toBe('active\nactive\n')
  for (const name of ['goes-on', 'rests']) await machine.ok('qd', 'project', 'archive', name, '--yes')
})

test('an uninstall leaves the data, and the next install finds it', async () => {
  await machine.ok('systemctl', 'stop', 'quarterdeck-agent')
  writeFileSync(
    inside('etc/systemd/system/qd-other.service'),
    '[Service]\nExecStart=sleep 1h\n[Install]\nWantedBy=multi-user.target\n',
  )
  const project = inside('etc/systemd/system/qd-hello.service')
  writeFileSync(
    project,
    `# Generated by Quarterdeck (sha256:0)\n${readFileSync(inside('etc/systemd/system/qd-other.service'), 'utf8')}`,
  )
  await machine.ok('systemctl', 'daemon-reload')
  await machine.ok('systemctl', 'enable', '--now', 'qd-hello', 'qd-other')
  await uninstall()
  expect((await uninstall()).changed).toBe(0)
  const states = await machine.run('systemctl', ['is-active', 'qd-hello', 'qd-other', ...units])
  expect(states.stdout).toBe('inactive\nactive\ninactive\ninactive\n')
  expect([existsSync(project), existsSync(inside('usr/local/bin/qd'))]).toEqual([false, false])
  expect(statSync(inside(`${home}/operator.token`)).isFile()).toBe(true)
  expect(await machine.ok('systemctl', 'is-system-running')).toBe('running\n')
  await install()
  expect(await machine.ok('qd', 'project', 'list')).toContain('hello')
})

test('a purge asks, and leaves nothing', async () => {
  await machine.ok('systemctl', 'disable', '--now', 'qd-other')
  await machine.ok('rm', '/etc/systemd/system/qd-other.service')
  await machine.ok(
    'useradd',
    '--system',
    '--user-group',
    '--comment',
    'Quarterdeck project hello',
    'qd-hello',
  )
  const unasked = await fromCheckout('uninstall', '--purge')
  expect([unasked.code, unasked.stderr]).toEqual([3, expect.stringContaining('confirmation')])
  await machine.ok('qd', 'uninstall', '--purge', '--yes')
  expect(onDisk()).toEqual([])
  expect((await uninstall('--purge', '--yes')).changed).toBe(0)
  expect(await machine.ok('systemctl', 'is-system-running')).toBe('running\n')
})
