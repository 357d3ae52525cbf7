import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { listenTarget } from './listen.ts'

test.each([
  [{}, { host: '0.0.0.0', port: 8000 }],
  [{ PORT: '' }, { host: '0.0.0.0', port: 8000 }],
  [{ PORT: '9001' }, { host: '0.0.0.0', port: 9001 }],
  [
    { PORT: '9001', HOST: '127.0.0.1' },
    { host: '127.0.0.1', port: 9001 },
  ],
  [
    { PORT: '9001', HOST: 'my-laptop' },
    { host: '0.0.0.0', port: 9001 },
  ],
  [
    { PORT: '9001', LISTEN_PID: '1', LISTEN_FDS: '1' },
    { host: '0.0.0.0', port: 9001 },
  ],
  [{ LISTEN_PID: String(process.pid), LISTEN_FDS: '1' }, { fd: 3 }],
  [
    { LISTEN_PID: String(process.pid), LISTEN_FDS: '0', PORT: '9001' },
    { host: '0.0.0.0', port: 9001 },
  ],
])('with %j it listens on %j', (env, target) => {
  expect(listenTarget({}, env)).toEqual(target)
})

test.each(['http', '-1', '65536', '80 '])('PORT %j is refused by name', PORT => {
  expect(() => listenTarget({}, { PORT })).toThrow('it must be a number from 0 to 65535')
})

test('what tells of a passed socket is not passed on to child processes', () => {
  const env = { LISTEN_PID: String(process.pid), LISTEN_FDS: '1', LISTEN_FDNAMES: 'web' }
  listenTarget({}, env)
  expect(env).toEqual({})
})

/** A service that answers /slow when it gets SIGUSR2. */
const service = `
  const { Kit } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
  const { quarterdeck } = await import(${JSON.stringify(new URL('./adapters/node.ts', import.meta.url).href)})
  const waiting = []
  process.on('SIGUSR2', () => { for (const response of waiting.splice(0)) response.end('slow') })
  const listener = quarterdeck({ name: 'hello' }, (request, response) => waiting.push(response))
  const { port } = await listener.kit.listen(listener, { onStop: () => process.stdout.write('closed\\n') })
  process.stdout.write('port ' + port + '\\n')
  setInterval(() => process.stdout.write(waiting.length + ' waiting\\n'), 20).unref()`

interface Service {
  child: ChildProcess
  port: number
  said: () => string
  exited: Promise<[number | null]>
}

async function start(env: Record<string, string>): Promise<Service> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', service], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit') as Promise<[number | null]>
  let text = ''
  child.stdout?.on('data', chunk => {
    text += chunk
  })
  const port = await until('it listens', () => text.match(/port (\d+)/)?.[1])
  return { child, port: Number(port), said: () => text, exited }
}

test('a stop in the middle of 100 slow requests answers all of them, and takes no more', async () => {
  const { child, port, said, exited } = await start({ PORT: '0' })
  const requests = Array.from({ length: 100 }, () => fetch(`http://127.0.0.1:${port}/slow`))
  await until('all are under way', () => said().includes('100 waiting'))
  child.kill('SIGTERM')
  await until('nothing new is taken', () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  child.kill('SIGUSR2')
  const replies = await Promise.all(requests)
  expect(await Promise.all(replies.map(reply => reply.text()))).toEqual(Array(100).fill('slow'))
  expect(replies.every(reply => reply.headers.get('connection') === 'close')).toBe(true)
  expect(await exited).toEqual([0, null])
  expect(said()).toContain('closed')
})

test('a second signal ends it at once', async () => {
  const { child, port, said, exited } = await start({ PORT: '0' })
  const hung = fetch(`http://127.0.0.1:${port}/slow`).catch(() => 'cut off')
  await until('it is under way', () => said().includes('1 waiting'))
  child.kill('SIGTERM')
  await until('it is stopping', () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  child.kill('SIGTERM')
  expect(await exited).toEqual([143, null])
  expect(await hung).toBe('cut off')
})

/** What systemd does for a socket unit: holds the socket, never accepts, passes it to each process that it starts. */
const socketUnit = `
import os, socket, sys
held = socket.create_server(('127.0.0.1', 0))
print('held', held.getsockname()[1], flush=True)
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        os.dup2(held.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')
        os.execv(sys.argv[1], sys.argv[1:])
    print('started', pid, flush=True)
    os.waitpid(pid, 0)
    print('ended', flush=True)`

test('on a socket that was passed, a restart refuses no connection', async context => {
  if (spawnSync('python3', ['--version']).error) context.skip('python3 is not installed (Debian: python3)')
  const command = [process.execPath, '--input-type=module', '--eval', service]
  const unit = spawn('python3', ['-c', socketUnit, ...command], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  unit.stdout.on('data', chunk => {
    said += chunk
  })
  const pids = () => [...said.matchAll(/started (\d+)/g)].map(match => Number(match[1]))
  const listening = () => said.match(/^port \d+$/gm)?.length ?? 0
  // The service ends when its parent's pipe does: it can no longer say anything.
  onTestFinished(() => void unit.kill('SIGKILL'))
  const port = await until('the socket is there', () => said.match(/held (\d+)/)?.[1])
  unit.stdin.write('start\n')
  await until('the first listens', () => listening() === 1)
  expect(said).toContain(`port ${port}\n`)
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe('{"ok":true}')
  process.kill(pids()[0]!, 'SIGTERM')
  await until('the first has ended', () => said.includes('ended'))
  const meanwhile = fetch(`http://127.0.0.1:${port}/healthz`)
  unit.stdin.write('start\n')
  expect(await (await meanwhile).text()).toBe('{"ok":true}')
  process.kill(pids()[1]!, 'SIGTERM')
  await until('the second has ended', () => said.match(/ended/g)?.length === 2)
})

test('a port in use is an error that can be caught', async () => {
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const { Kit } = await import('./kit.ts')
  const { port } = other.address() as AddressInfo
  await expect(new Kit({ name: 'hello' }).listen(() => undefined, { port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})
