/** Real services on every framework that the kits support, each started as its users would. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { freePort, until } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..')
const pythonServers = join(root, 'kit-python/tests/servers')

export interface ServiceKind {
  name: string
  /** The template under which /items/7 is counted. */
  itemTemplate: string
  /** Why it cannot be started on this machine, or undefined. */
  missing(): string | undefined
  command(port: number): string[]
  cwd: string
}

const onNode = (name: string): ServiceKind => ({
  name,
  itemTemplate: '/items/:id',
  missing: () => undefined,
  command: () => [process.execPath, join(import.meta.dirname, `services/${name}.ts`)],
  cwd: root,
})

const python = '/usr/bin/python3'

const onPython = (
  name: string,
  itemTemplate: string,
  module: string | undefined,
  args: (port: number) => string[],
): ServiceKind => ({
  name,
  itemTemplate,
  missing: () =>
    module && spawnSync(python, ['-c', `import ${module}`]).status !== 0
      ? `${name} is not installed (Debian: python3-flask gunicorn python3-fastapi uvicorn)`
      : undefined,
  command: port => [python, ...args(port)],
  cwd: pythonServers,
})

export const serviceKinds: ServiceKind[] = [
  onNode('fastify'),
  onNode('express'),
  onNode('hono'),
  onNode('node'),
  onPython('Flask under gunicorn with 3 workers', '/items/<item_id>', 'flask, gunicorn', port => [
    '-m',
    'gunicorn',
    '-w',
    '3',
    '--threads',
    '40',
    '-b',
    `0.0.0.0:${port}`,
    'flask_app:app',
  ]),
  onPython('FastAPI under uvicorn', '/items/{item_id}', 'fastapi, uvicorn', port => [
    '-m',
    'uvicorn',
    '--host',
    '0.0.0.0',
    '--port',
    String(port),
    '--no-access-log',
    'fastapi_app:app',
  ]),
  onPython('the standard library', '/items/<id>', undefined, () => ['stdlib_app.py']),
]

export interface RunningService {
  process: ChildProcess
  port: number
  url: string
  ended: Promise<number | null>
}

/** Starts it on a free port, and waits until it is ready. It ends with the test. */
export async function startService({ command, cwd }: ServiceKind): Promise<RunningService> {
  const port = await freePort()
  const [file = '', ...args] = command(port)
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    NAME: 'hello',
    PYTHONPATH: join(root, 'kit-python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let said = ''
  child.stderr?.on('data', chunk => {
    said += chunk
  })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  onTestFinished(async () => {
    // The whole group: workers may outlive their master.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await until(`${command(port).join(' ')} is ready`, () =>
    fetch(`${url}/readyz`).then(
      reply => reply.status === 200,
      () => false,
    ),
  ).catch(error => {
    throw new Error(`${error.message}\n${said}`)
  })
  return { process: child, port, url, ended }
}
