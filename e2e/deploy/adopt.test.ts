/**
 * A server on which a service runs as its operator has set it up by hand: a unit, a working copy and a venv. It is found,
 * adopted without a restart, deployed and taken back in place, and goes on by itself when the project is archived.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Machine, until } from '@quarterdeck/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Remote, remoteIn, Server } from './server-under-test.ts'
import { makeWheel } from './wheels.ts'

const missing = Machine.missing()
const work = '/srv/hello'
const venv = '/opt/venvs/hello'
const port = 8077

/** As its developer has it: the commit is that of the working copy it was started from. */
const service = `
import http.server, json, os, pathlib, subprocess, sys

if pathlib.Path('exits').exists():
    print('no such table', file=sys.stderr, flush=True)
    sys.exit(3)
try:
    import greeting
    text = greeting.text
except ImportError:
    text = 'none'
sha = subprocess.run(['git', 'rev-parse', 'HEAD'], capture_output=True, text=True, check=True).stdout.strip()
answers = {
    '/healthz': {'ok': True},
    '/readyz': {'ok': True},
    '/version': {'name': 'hello', 'sha': sha},
    '/greeting': {'text': text, 'uid': os.getuid(), 'pid': os.getpid(), 'level': os.environ.get('LEVEL')},
}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(answers.get(self.path, {})).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

print('listening', flush=True)
http.server.ThreadingHTTPServer(('0.0.0.0', ${port}), Handler).serve_forever()
`

const unitFile = `
[Unit]
Description=Hello, as set up by hand

[Service]
User=hello
WorkingDirectory=${work}
ExecStart=${venv}/bin/python -m app
Restart=on-failure

[Install]
WantedBy=multi-user.target
`

/** The same for Node, without any package. */
const nodeService = `
const { execFileSync } = require('node:child_process')
const { createServer } = require('node:http')
const sha = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
const answers = { '/healthz': { ok: true }, '/readyz': { ok: true }, '/version': { name: 'shop', sha } }
createServer(({ url }, response) => response.end(JSON.stringify(answers[url] ?? {}))).listen(8078, '0.0.0.0')
`

describe.skipIf(missing)(`a unit that was there before${missing ? ` (${missing})` : ''}`, () => {
  let server: Server
  let remote: Remote
  let first: string
  let token: string
  const machine = () => server.machine
  const asHello = (...args: string[]) => machine().ok('runuser', '-u', 'hello', '--', ...args)
  const ask = async (path: string) => JSON.parse((await machine().ask(port, path)).text)
  const head = async () => (await asHello('git', '-C', work, 'rev-parse', 'HEAD')).trim()

  async function deploy(ref: string) {
    const { stdout } = await machine().run('curl', [
      ...['--silent', '--header', `Authorization: Bearer ${token}`],
      ...['--header', 'Content-Type: application/json', '--header', 'Prefer: wait=120'],
      ...['--data', JSON.stringify({ ref, project: 'acme/hello' })],
      'http://admin.localhost:8300/api/deploy/hello',
    ])
    const answer = JSON.parse(stdout)
    return answer.run ?? answer
  }

  beforeAll(async () => {
    server = await Server.install()
    await makeWheel(machine(), '1.0', 'hello')
    await makeWheel(machine(), '2.0', 'hello again')
    remote = await remoteIn(machine(), '/srv/git/acme')
    await machine().ok('mv', '/srv/git/acme/remote.git', '/srv/git/acme/hello.git')
    await machine().ok('ln', '-s', 'hello.git', '/srv/git/acme/remote.git')
    first = await remote.push({
      'app/__main__.py': service,
      'requirements.txt': '/srv/greeting-1.0-py3-none-any.whl\n',
      '.gitignore': 'notes\n',
    })
    await machine().ok('useradd', '--system', '--create-home', 'hello')
    await machine().ok('install', '-d', '-o', 'hello', work, venv)
    await machine().ok('git', 'config', '--system', '--add', 'safe.directory', '/srv/git/acme/hello.git')
    await asHello('git', 'clone', '--quiet', 'file:///srv/git/acme/hello.git', work)
    await asHello('/usr/bin/python3', '-m', 'venv', venv)
    await asHello(`${venv}/bin/pip`, 'install', '--quiet', '--no-index', '-r', `${work}/requirements.txt`)
    await machine().run('tee', ['/etc/systemd/system/hello.service'], { input: unitFile })
    const sleeper = '[Service]\nExecStart=/usr/bin/sleep infinity\n'
    await machine().run('tee', ['/etc/systemd/system/sleeper.service'], { input: sleeper })
    await machine().ok('systemctl', 'enable', '--now', 'hello.service', 'sleeper.service')
    await until('it answers', async () => (await ask('/version').catch(() => undefined))?.sha === first)
  }, 120_000)

  afterAll(() => server?.machine.remove())

  test('a scan finds it, and what stands in the way of others', async () => {
    const text = await server.qd('project', 'adopt', '--scan')
    expect(text).toMatch(/hello\.service .* active .* python .* \/srv\/hello .* 8077 .* yes/)
    expect(text).not.toContain('sleeper.service')
    expect(text).toContain('1 more unit does not run from a working copy')
    expect(await server.qd('project', 'adopt', '--scan', '--all')).toContain(
      'sleeper.service does not run from a git working copy.',
    )
  })

  test('what runs must be what is checked out', async () => {
    const next = await remote.push({ note: 'not restarted' })
    await asHello('git', '-C', work, 'pull', '--quiet')
    await expect(server.qd('project', 'adopt', 'hello', '--yes')).rejects.toThrow(
      `tells ${first} at /version instead of ${next.slice(0, 12)}`,
    )
    expect(await machine().ok('systemctl', 'is-active', 'hello.service')).toContain('active')
    await machine().ok('test', '-d', venv, '-a', '!', '-L', venv)
    await machine().ok('systemctl', 'restart', 'hello.service')
    await until('it runs', async () => (await ask('/version').catch(() => undefined))?.sha === next)
    first = next
  })

  test('it is adopted as it runs', async () => {
    const { pid } = await ask('/greeting')
    await server.qd('project', 'adopt', 'hello', '--yes')
    expect((await ask('/greeting')).pid).toBe(pid)
    const shown = await server.qd('project', 'show', 'hello')
    expect(shown).toMatch(/web running/)
    expect(shown).toContain(`units hello.service`)
    expect((await machine().ok('readlink', '-f', venv)).trim()).toBe(`${venv}.adopted`)
    expect(await server.qd('logs', 'hello')).toContain('listening')
    token = (await server.qd('token', 'create', 'hello', '--label', 'ci')).trim()
  })

  test('a deploy happens in place, as its owner, with an environment of its own', async () => {
    await asHello('touch', `${work}/notes`)
    const second = await remote.push({ 'requirements.txt': '/srv/greeting-2.0-py3-none-any.whl\n' })
    expect(await deploy(second)).toMatchObject({ status: 'succeeded', error: null, sha: second })
    const { text, uid } = await ask('/greeting')
    expect(text).toBe('hello again')
    expect(uid).toBe(Number(await machine().ok('id', '-u', 'hello')))
    expect(await head()).toBe(second)
    const owners = await machine().ok('find', work, '-not', '-user', 'hello')
    expect(owners).toBe('')
    await machine().ok('test', '-f', `${work}/notes`)
    expect(await machine().ok('cat', '/etc/systemd/system/hello.service')).toBe(unitFile)
  })

  test('variables get to it by a drop-in, and its step before the restart runs as its user', async () => {
    await server.qd('var', 'set', 'hello', 'LEVEL=debug', '--restart')
    expect(await ask('/greeting')).toMatchObject({ level: 'debug', text: 'hello again' })
    expect(await machine().ok('cat', '/etc/systemd/system/hello.service')).toBe(unitFile)
    const step = 'python -c "import os; print(os.getuid(), os.getcwd(), os.environ[\'LEVEL\'])"'
    await server.qd('project', 'set', 'hello', '--before-restart', step)
    const uid = (await machine().ok('id', '-u', 'hello')).trim()
    expect(await server.qd('deploy', 'hello')).toContain(`${uid} ${work} debug`)
    await server.qd('project', 'set', 'hello', '--no-before-restart')
  })

  test('a commit that does not run is taken back, and one that cannot be installed never disturbs', async () => {
    const good = await head()
    const broken = await remote.push({ exits: 'yes' })
    expect(await deploy(broken)).toMatchObject({ status: 'failed', restored_sha: good })
    expect([await head(), (await ask('/greeting')).text]).toEqual([good, 'hello again'])
    const { pid } = await ask('/greeting')
    const missingPackage = await remote.push({
      exits: null,
      'requirements.txt': '/srv/none-1.0-py3-none-any.whl\n',
    })
    expect(await deploy(missingPackage)).toMatchObject({
      status: 'failed',
      error: { code: 'install_failed' },
    })
    expect([await head(), (await ask('/greeting')).pid]).toEqual([good, pid])
  })

  test('a commit that was checked out by hand is what a failed deploy goes back to', async () => {
    await asHello('git', '-C', work, 'checkout', '--quiet', first)
    await machine().ok('systemctl', 'restart', 'hello.service')
    await until('it runs', async () => (await ask('/version').catch(() => undefined))?.sha === first)
    await until('it is shown', async () => (await server.qd('project', 'show', 'hello')).includes('drift'))
    const broken = await remote.push({ exits: 'yes', 'requirements.txt': '' })
    expect(await deploy(broken)).toMatchObject({ status: 'failed', restored_sha: first })
    expect((await ask('/version')).sha).toBe(first)
  })

  test('an agent that is killed while it switches finishes the run', async () => {
    const next = await remote.push({ exits: null, 'requirements.txt': '' })
    const run = deploy(next)
    const journals = `${server.machine.root}/var/lib/quarterdeck/agent/runs`
    await until('it switches', () => newestJournal(journals).includes('"switching"'))
    process.kill(server.agentPid(), 'SIGKILL')
    expect(await run).toMatchObject({ status: 'succeeded', sha: next })
    expect(await ask('/greeting')).toMatchObject({ text: 'none' })
  })

  test('it is stopped and started by name, and comes up with the machine', async () => {
    await server.qd('stop', 'hello')
    expect((await machine().run('systemctl', ['is-enabled', 'hello.service'])).stdout.trim()).toBe('disabled')
    await expect(ask('/version')).rejects.toThrow()
    await server.qd('start', 'hello')
    expect((await ask('/version')).sha).toBe(await head())
    await machine().powerCut()
    await machine().reboot()
    const sha = await head()
    await until(
      'it runs again',
      async () => (await ask('/version').catch(() => undefined))?.sha === sha,
      30_000,
    )
  })

  test('Node is adopted as well', async () => {
    const shop = await remoteIn(machine(), '/srv/git/shop')
    const began = await shop.push({ 'package.json': '{"name":"shop"}', 'app/main.js': nodeService })
    await machine().ok('git', 'config', '--system', '--add', 'safe.directory', '/srv/git/shop/remote.git')
    await machine().ok('install', '-d', '-o', 'hello', '/srv/shop')
    await asHello('git', 'clone', '--quiet', 'file:///srv/git/shop/remote.git', '/srv/shop')
    const start = `${process.execPath} app/main.js`
    const input = `[Service]\nUser=hello\nWorkingDirectory=/srv/shop\nExecStart=${start}\n`
    await machine().run('tee', ['/etc/systemd/system/shop.service'], { input })
    await machine().ok('systemctl', 'start', 'shop.service')
    const version = async () => JSON.parse((await machine().ask(8078, '/version')).text).sha
    await until('it answers', async () => (await version().catch(() => undefined)) === began)
    await until(
      'the environment is up',
      () =>
        server.qd('project', 'list').then(
          () => true,
          () => false,
        ),
      30_000,
    )
    await server.qd('project', 'adopt', 'shop', '--repository', 'acme/shop', '--yes')
    const next = await shop.push({ note: 'next' })
    await server.qd('deploy', 'shop')
    expect(await version()).toBe(next)
  })

  test('archived, it goes on as it is', async () => {
    const { pid } = await ask('/greeting')
    await until(
      'the environment is up',
      () =>
        server.qd('project', 'list').then(
          () => true,
          () => false,
        ),
      30_000,
    )
    await server.qd('project', 'archive', 'hello', '--yes')
    expect((await ask('/greeting')).pid).toBe(pid)
    await machine().ok('systemctl', 'restart', 'hello.service')
    await until('it runs', async () => (await ask('/version').catch(() => undefined)) !== undefined)
  })
})

function newestJournal(directory: string): string {
  const newest = readdirSync(directory).sort().at(-1)
  try {
    return newest === undefined ? '' : readFileSync(join(directory, newest, 'journal'), 'utf8')
  } catch {
    return ''
  }
}
