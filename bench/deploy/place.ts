/** What the figures of deploying are measured on: a remote with a small Python service, and an environment with the project. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const service = `
import http.server, json, os, pathlib, sys

sha = pathlib.Path('REVISION').read_text().strip() if pathlib.Path('REVISION').exists() else os.environ['QUARTERDECK_SHA']
if pathlib.Path('exits').exists():
    sys.exit(3)
answers = {'/healthz': {'ok': True}, '/readyz': {'ok': True}, '/version': {'name': 'bench', 'sha': sha}}

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

export interface Remote {
  readonly url: string
  /** Pushes a new commit to main, which may exit at its start. */
  push(files?: Record<string, string | null>): string
}

/** A directory for one figure, gone afterwards. */
export function scratch(): { directory: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'qd-bench-'))
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

export function remote(directory: string): Remote {
  const [url, clone] = [join(directory, 'remote.git'), join(directory, 'clone')]
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  mkdirSync(clone, { recursive: true })
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', url])
  git('init', '--quiet', '--initial-branch=main')
  git('remote', 'add', 'origin', url)
  let count = 0
  return {
    url,
    push(files = {}) {
      const all = { 'app/__main__.py': service, 'requirements.txt': '', count: String(++count), ...files }
      for (const [name, text] of Object.entries(all)) {
        mkdirSync(dirname(join(clone, name)), { recursive: true })
        if (text === null) rmSync(join(clone, name), { force: true })
        else writeFileSync(join(clone, name), text)
      }
      git('add', '--all')
      git('commit', '--quiet', '--message', `feat: change ${count}`)
      git('push', '--quiet', 'origin', 'main')
      return git('rev-parse', 'HEAD')
    },
  }
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  json: any
}

/** A call of the admin API. */
export function call(
  { port, token }: { port: number; token: string },
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const all = { host: 'admin.localhost', authorization: `Bearer ${token}`, ...headers }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const asked = request({ host: '127.0.0.1', port, method, path, headers: { ...all, ...type } }, response => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', chunk => {
      text += chunk
    })
    response.once('end', () =>
      resolve({ status: response.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) }),
    )
  })
  asked.once('error', reject)
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Of this figure's environment. */
export type Access = Parameters<typeof call>[0]

export const addProject = (access: Access, name: string, url: string): Promise<Reply> =>
  call(access, 'POST', '/api/projects', {
    name,
    repository: `acme/${name}`,
    git_url: url,
    runtime: 'python',
    interpreter: '/usr/bin/python3',
    start: ['python', '-m', 'app'],
  })

/** Gives the run's id. */
export const startRun = async (access: Access, name: string, ref: string): Promise<string> =>
  (await call(access, 'POST', `/api/projects/${name}/runs`, { ref })).json.id

const endLimitMs = 900_000

/** How a run ended. */
export async function endOf(access: Access, id: string): Promise<string> {
  const limitMs = performance.now() + endLimitMs
  for (;;) {
    const { status } = (await call(access, 'GET', `/api/runs/${id}`)).json
    if (status !== 'queued' && status !== 'running') return status
    if (performance.now() > limitMs) return 'not ended'
    await wait(500)
  }
}
