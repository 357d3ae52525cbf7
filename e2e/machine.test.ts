/** The machines that other tests deploy to are real: what systemd promises on a server holds on them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Machine, machineUnderTest, until } from '@quarterdeck/testing'
import { beforeEach, expect, onTestFinished, test } from 'vitest'

const transient = ['--wait', '--pipe', '--quiet', '--collect']

beforeEach(context => {
  const missing = Machine.missing()
  if (missing) context.skip(missing)
})

/** Runs a program in a unit of its own, with these properties. */
const inUnit = (machine: Machine, properties: string[], ...argv: string[]) =>
  machine.run('systemd-run', [...transient, ...properties.map(text => `--property=${text}`), ...argv])

async function addUnit(machine: Machine, name: string, ...lines: string[]): Promise<void> {
  writeFileSync(join(machine.root, 'etc/systemd/system', name), `${lines.join('\n')}\n`)
  await machine.ok('systemctl', 'daemon-reload')
}

const property = async (machine: Machine, unit: string, name: string) =>
  (await machine.ok('systemctl', 'show', '--value', '--property', name, unit)).trim()

test('it boots without a failed unit, on cgroup2 alone, with the tools of the host', async () => {
  const machine = await machineUnderTest()
  expect(await machine.ok('systemctl', 'is-system-running')).toBe('running\n')
  expect(await machine.ok('stat', '-fc', '%T', '/sys/fs/cgroup')).toBe('cgroup2fs\n')
  expect(await machine.ok('hostname')).toBe(`${machine.name}\n`)
  expect(await machine.ok('node', '--version')).toBe(`${process.version}\n`)
  expect(await machine.ok('git', '--version')).toMatch(/^git version/)
})

test('a program runs as told, and a failure is told in full', async () => {
  const machine = await machineUnderTest()
  const options = { input: 'in', env: { COLOUR: 'blue' }, cwd: '/var', user: 'nobody' }
  const script = 'cat; echo " $COLOUR $PWD $(id -un) $HOME"; echo no >&2; exit 3'
  expect(await machine.run('sh', ['-c', script], options)).toEqual({
    code: 3,
    stdout: 'in blue /var nobody /nonexistent\n',
    stderr: 'no\n',
  })
  await expect(machine.ok('sh', '-c', 'echo half; exit 4')).rejects.toThrow(/ended with 4.\nhalf/)
  await expect(machine.run('sleep', ['60'], { limitMs: 100 })).rejects.toThrow('did not end within 100 ms')
  // PID 1 has to reap it first.
  await until(
    'it has ended inside, too',
    async () => (await machine.run('pgrep', ['-x', 'sleep'])).code === 1,
  )
})

test('a unit runs as its user, or as one made for it', async () => {
  const machine = await machineUnderTest()
  expect(await inUnit(machine, ['User=nobody'], 'id', '-un')).toMatchObject({ code: 0, stdout: 'nobody\n' })
  const dynamic = Number((await inUnit(machine, ['DynamicUser=yes'], 'id', '-u')).stdout)
  expect([dynamic >= 61_184, dynamic <= 65_519]).toEqual([true, true])
})

test('hardening bites', async () => {
  const machine = await machineUnderTest()
  const strict = ['ProtectSystem=strict', 'PrivateTmp=yes', 'StateDirectory=mine']
  expect((await inUnit(machine, [], 'touch', '/etc/free', '/tmp/seen')).code).toBe(0)
  const refused = await inUnit(machine, strict, 'touch', '/etc/strict')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Read-only file system')])
  expect((await inUnit(machine, strict, 'touch', '/var/lib/mine/file')).code).toBe(0)
  expect((await inUnit(machine, strict, 'ls', '/tmp/seen')).stderr).toContain('No such file')
  expect((await machine.run('ls', ['/tmp/seen'])).code).toBe(0)
})

test('a service that dies is started again', async () => {
  const machine = await machineUnderTest()
  await addUnit(
    machine,
    'stays.service',
    '[Service]',
    'ExecStart=sleep 1h',
    'Restart=always',
    'RestartSec=50ms',
  )
  await machine.ok('systemctl', 'start', 'stays')
  const first = await property(machine, 'stays', 'MainPID')
  await machine.ok('kill', '-KILL', first)
  const second = await until('another process', async () => {
    const pid = await property(machine, 'stays', 'MainPID')
    return pid !== '0' && pid !== first && pid
  })
  expect(await machine.ok('cat', `/proc/${second}/comm`)).toBe('sleep\n')
})

test('a timer fires', async () => {
  const machine = await machineUnderTest()
  const timer = ['--on-active=200ms', '--timer-property=AccuracySec=10ms']
  await machine.ok('systemd-run', ...timer, 'touch', '/var/fired')
  await until('the timer has fired', () => existsSync(join(machine.root, 'var/fired')))
})

test('a socket holds a connection while its service restarts', async () => {
  const machine = await machineUnderTest()
  const answer = '(request, response) => response.end(String(process.pid))'
  const server = `require("http").createServer(${answer}).listen({ fd: 3 })`
  await addUnit(machine, 'web.socket', '[Socket]', 'ListenStream=0.0.0.0:8080')
  const start = `ExecStart=${process.execPath} -e '${server}'`
  await addUnit(machine, 'web.service', '[Service]', 'ExecStartPre=sleep 1', start)
  await machine.ok('systemctl', 'start', 'web.socket')
  const first = await machine.ask(8080, '/')
  const restarted = machine.ok('systemctl', 'restart', 'web.service')
  await until('it is down', async () => (await property(machine, 'web', 'ActiveState')) === 'activating')
  const second = await machine.ask(8080, '/', {
    address: machine.address,
    host: 'web.test',
    method: 'POST',
    body: '1',
  })
  await restarted
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.text).toBe(await property(machine, 'web', 'MainPID'))
  expect(second.text).not.toBe(first.text)
  await expect(machine.ask(8081, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a power cut ends everything; the next boot has the files, the enabled units and the journal', async () => {
  const machine = await machineUnderTest()
  const lines = ['[Service]', 'ExecStart=sleep 1h', '[Install]', 'WantedBy=multi-user.target']
  await addUnit(machine, 'enabled.service', ...lines)
  await machine.ok('systemctl', 'enable', '--now', 'enabled')
  await machine.ok('systemd-run', '--wait', '--quiet', '--unit=speaker', 'echo', 'before the cut')
  await machine.ok('journalctl', '--sync')
  await machine.run('tee', ['/var/kept'], { input: 'kept' })
  const pid = machine.leaderPid
  await machine.powerCut()
  expect(existsSync(`/proc/${pid}`)).toBe(false)
  await expect(machine.run('true')).rejects.toThrow('is off')
  expect(readFileSync(join(machine.root, 'var/kept'), 'utf8')).toBe('kept')
  await machine.reboot()
  expect(await property(machine, 'enabled', 'ActiveState')).toBe('active')
  const journal = await machine.ok('journalctl', '--boot=-1', '--unit=speaker', '--output=json')
  const messages = journal
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).MESSAGE)
  expect(messages).toContain('before the cut')
})

test('a shut-down stops the units in order', async () => {
  const machine = await machineUnderTest()
  await addUnit(machine, 'last.service', '[Service]', 'ExecStart=sleep 1h', 'ExecStop=touch /var/stopped')
  await machine.ok('systemctl', 'start', 'last')
  await machine.shutDown()
  expect(existsSync(join(machine.root, 'var/stopped'))).toBe(true)
  await machine.reboot()
  expect(await machine.ok('systemctl', 'is-system-running')).toBe('running\n')
})

test('two machines side by side see nothing of one another', async () => {
  const [one, two] = await Promise.all([machineUnderTest(), machineUnderTest()])
  for (const machine of [one, two]) {
    await addUnit(machine, 'web.socket', '[Socket]', 'ListenStream=192.0.2.10:8080')
    await addUnit(machine, 'web.service', '[Service]', 'ExecStart=sleep 1h')
    await machine.ok('systemctl', 'start', 'web.socket')
  }
  await one.ok('touch', '/var/one')
  expect((await two.run('ls', ['/var/one'])).code).not.toBe(0)
  await one.powerCut()
  expect(await two.ok('systemctl', 'is-active', 'web.socket')).toBe('active\n')
})

test('nothing is left of one that is removed, nor of one that cannot be made', async () => {
  const machine = await Machine.boot()
  await machine.remove()
  expect([existsSync(machine.root), traces(process.pid)]).toEqual([false, []])
  await expect(Machine.boot({ address: 'nowhere' })).rejects.toThrow(/ip -batch - ended with 1/)
  expect(traces(process.pid)).toEqual([])
})

test('a machine ends with the test process that made it, however that ends', async () => {
  const program = `import { Machine } from '@quarterdeck/testing'; console.log((await Machine.boot()).leaderPid)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) })
  const leaderPid = Number(String(line))
  expect(existsSync(`/proc/${leaderPid}`)).toBe(true)
  child.kill('SIGKILL')
  await until('its machine has ended', () => !existsSync(`/proc/${leaderPid}`))
  await machineUnderTest()
  expect(traces(child.pid!)).toEqual([]) // the next one to boot cleans up
})

/** What machines of a process have left on the host. */
function traces(pid: number): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  return [
    ...globSync(`/sys/fs/cgroup/{,unified/}qd-test/qd-${pid}-*`),
    ...mounts.filter(line => line.includes('qd-machine')),
    ...globSync('/tmp/nspawn-*'),
  ]
}
