/**
 * A fresh server with a real systemd: installed, a project deployed by curl as a hardened unit, a broken commit taken back,
 * an earlier commit checked out by hand, the machine started again, all removed.
 */
import { join } from 'node:path'
import { Machine, machineUnderTest, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { remoteIn } from './server-under-test.ts'
import { makeWheel } from './wheels.ts'

const qdFile = join(import.meta.dirname, '../../cli/bin/quarterdeck.mjs')
const work = '/var/lib/quarterdeck/projects/hello/work'

/** The service, as its developer has it: what it says at `/` comes from a package that its requirements name. */
const service = `
import http.server, json, os, pathlib, sys

if pathlib.Path('exits').exists():
    print('no such table', file=sys.stderr, flush=True)
    sys.exit(3)
try:
    import greeting
    text = greeting.text
except ImportError:
    text = 'none'
sha = pathlib.Path('REVISION').read_text().strip()
answers = {
    '/healthz': {'ok': True},
    '/readyz': {'ok': True},
    '/version': {'name': os.environ['QUARTERDECK_NAME'], 'sha': sha},
    '/greeting': {'text': text, 'uid': os.getuid(), 'sha': os.environ.get('QUARTERDECK_SHA')},
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

http.server.ThreadingHTTPServer(('0.0.0.0', int(os.environ['PORT'])), Handler).serve_forever()
`

test('installed, deployed, taken back, rolled back by hand, rebooted, removed', {
  timeout: 300_000,
}, async context => {
  const missing = Machine.missing()
  if (missing) return context.skip(missing)
  const machine = await machineUnderTest()
  const qd = (...args: string[]) => machine.ok(process.execPath, qdFile, ...args)
  // The edge hears of a first deploy a moment later.
  const ask = (path: string) =>
    until(`hello answers ${path}`, async () => {
      const { status, text } = await machine.ask(8300, path, { host: 'hello.localhost' })
      return status === 200 && JSON.parse(text)
    })
  const runs = async () => (await ask('/version')).sha as string

  await qd('install', '--allow-any-place')
  const { push, path: remote } = await remoteIn(machine, '/srv')
  await makeWheel(machine, '1.0', 'hello')
  await makeWheel(machine, '2.0', 'hello again')
  const first = await push({ 'app/__main__.py': service, 'requirements.txt': '' })
  const add = ['project', 'add', 'hello', '--repository', 'acme/hello', '--git', remote]
  await qd(...add, '--interpreter', '/usr/bin/python3', '--', 'python', '-m', 'app')
  const token = (await qd('token', 'create', 'hello', '--label', 'ci')).trim()
  const deploy = (ref: string) =>
    machine.run('curl', [
      ...['--silent', '--fail-with-body', '--header', `Authorization: Bearer ${token}`],
      ...['--header', 'Content-Type: application/json', '--header', 'Prefer: wait=120'],
      ...[
        '--data',
        JSON.stringify({ ref, project: 'acme/hello' }),
        'http://admin.localhost:8300/api/deploy/hello',
      ],
    ])

  expect(JSON.parse((await deploy(first)).stdout)).toMatchObject({ status: 'succeeded', error: null })
  expect(await runs()).toBe(first)
  const exposure = await machine.ok('systemd-analyze', 'security', '--no-pager', 'qd-hello.service')
  expect(Number(exposure.match(/Overall exposure level for \S+: ([\d.]+)/)?.[1])).toBeLessThanOrEqual(3)
  expect((await ask('/greeting')).uid).not.toBe(0)

  const second = await push({ 'requirements.txt': '/srv/greeting-1.0-py3-none-any.whl\n' })
  expect(JSON.parse((await deploy(second)).stdout)).toMatchObject({ status: 'succeeded' })
  expect(await ask('/greeting')).toMatchObject({ text: 'hello' })

  const broken = await push({ exits: 'yes' })
  const refused = await deploy(broken)
  expect([refused.code, JSON.parse(refused.stdout).run.restored_sha]).toEqual([22, second])
  expect(await runs()).toBe(second)

  // As the specification says, with the release and the environment that are there.
  await machine.ok('git', '-C', work, 'checkout', '--quiet', first)
  await machine.ok('systemctl', 'restart', 'qd-hello.service')
  await until('the first runs', async () => (await runs().catch(() => '')) === first)
  expect(await ask('/greeting')).toMatchObject({ text: 'none' })

  // And to a commit that was never deployed, whose requirements differ from those of the one that runs.
  const third = await push({ exits: null, 'requirements.txt': '/srv/greeting-2.0-py3-none-any.whl\n' })
  await machine.ok('git', '-C', work, 'fetch', '--quiet', remote, 'main')
  await machine.ok('git', '-C', work, 'checkout', '--quiet', third)
  await machine.ok('systemctl', 'restart', 'qd-hello.service')
  await until('the third runs', async () => (await runs().catch(() => '')) === third, 30_000)
  expect(await ask('/greeting')).toMatchObject({ text: 'hello again', sha: third })

  await machine.powerCut()
  await machine.reboot()
  await until('it runs again', async () => (await runs().catch(() => '')) === third, 30_000)
  const fourth = await push({ note: 'a deploy goes on from there' })
  expect(JSON.parse((await deploy(fourth)).stdout)).toMatchObject({ status: 'succeeded' })
  expect(await runs()).toBe(fourth)

  await qd('uninstall', '--purge', '--yes')
  const left = await machine.run('systemctl', ['list-units', '--all', '--no-legend', 'qd-*', 'quarterdeck*'])
  expect(left.stdout.trim()).toBe('')
})
