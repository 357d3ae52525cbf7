/** The environment as an operator runs it: a real process, started by the command line, asked over the network. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..')
const main = join(root, 'cli/src/main.ts')
const readyLimitMs = 60_000

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command of `qd` to its end. */
export async function qd(...args: string[]): Promise<Ended> {
  return ended(start(args))
}

export interface Environment {
  process: ChildProcess
  home: string
  port: number
  token: string
  ask(host: string, path: string, headers?: Record<string, string>): Promise<Reply>
  /** Of the admin API, as the operator unless another token is named. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  ended: Promise<Ended>
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at field by field
  json: any
}

/** `qd up` on a free port, without the demo; resolves when it says that it is ready. */
export const up = (home: string, ...args: string[]): Promise<Environment> =>
  environmentOf(start(['up', '--home', home, '--port', '0', '--json', '--no-demo', ...args]), home)

/** As a newcomer starts it: with the demo. */
export const upWithDemo = (home: string, env: Record<string, string> = {}): Promise<Environment> =>
  environmentOf(startScript(main, ['up', '--home', home, '--port', '0', '--json'], env), home)

/** A process that runs an environment, from when it says that it is ready. */
export async function environmentOf(child: ChildProcess, home: string): Promise<Environment> {
  const end = ended(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await end
  })
  const { hosts } = (await ready(child, end)) as { hosts: string[] }
  const port = Number(new URL(hosts[0]!).port || 0)
  const token = readFileSync(join(home, 'operator.token'), 'utf8').trim()
  return {
    process: child,
    home,
    port,
    token,
    async call(method, path, body, headers = {}) {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const all = { authorization: `Bearer ${token}`, ...type, ...headers }
      const reply = await ask(port, 'admin.localhost', path, all, method, body)
      return { ...reply, json: reply.text === '' ? undefined : JSON.parse(reply.text) }
    },
    ask: (host, path, headers = {}) => ask(port, host, path, headers),
    ended: end,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return end
    },
  }
}

/** The agent of a home, as a process of its own, with its endpoints on a free port. */
export async function startAgent(home: string): Promise<{ port: number; stop(): Promise<Ended> }> {
  const child = start(['agent', '--home', home, '--port', '0', '--units', 'process', '--json'])
  const end = ended(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await end
  })
  const { port } = (await ready(child, end)) as { port: number }
  return {
    port,
    stop() {
      child.kill('SIGTERM')
      return end
    },
  }
}

const start = (args: string[]): ChildProcess => startScript(main, args)

export function startScript(
  script: string,
  args: string[],
  env: Record<string, string | undefined> = {},
): ChildProcess {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that is to be killed leaves no compiled code behind, so it is given what others have left.
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
  })
}

async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** What it says with that. */
async function ready(child: ChildProcess, end: Promise<Ended>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const limit = setTimeout(() => reject(new Error(`not ready within ${readyLimitMs} ms`)), readyLimitMs)
  let seen = ''
  child.stdout?.on('data', chunk => {
    seen += chunk
    const line = seen.split('\n').find(text => text.includes('"msg":"ready"') && text.endsWith('}'))
    if (line) resolve(JSON.parse(line))
  })
  end.then(({ code, stderr, stdout }) => reject(new Error(`it ended with ${code}: ${stderr}${stdout}`)))
  return promise.finally(() => clearTimeout(limit))
}

export function ask(
  port: number,
  host: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: unknown,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const call = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } }, response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', chunk => {
      text += chunk
    })
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    response.on('error', reject)
  })
  call.on('error', reject)
  call.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body))
  return promise
}
