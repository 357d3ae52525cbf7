/** Deploys on a machine with a real systemd: what they add to a bare script, and what a client notices of them. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Machine } from '@quarterdeck/testing'
import { type Figure, median } from '../figure.ts'

const root = join(import.meta.dirname, '../..')
const qdFile = join(root, 'cli/bin/quarterdeck.mjs')
const rounds = 7
const deploys = 10
const port = 8400

/** With the kit, which takes a passed socket and ends without breaking a request. */
const service = `
from quarterdeck_kit import serve

def app(environ, start_response):
    body = environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0)) or b'hello'
    start_response('200 OK', [('Content-Length', str(len(body)))])
    return [body]

serve(app, name='bench')
`

const bareUnit = `[Service]
Type=exec
WorkingDirectory=/srv/bare
Environment=PORT=8401
ExecStart=/usr/bin/python3 -m app
`

/** Fetch, merge, restart, and the same three looks a second apart. */
const bareScript = `
import json, subprocess, time, urllib.request
def run(*args): return subprocess.run(args, check=True, capture_output=True, text=True).stdout.strip()
began = time.monotonic()
run('git', '-C', '/srv/bare', 'fetch', '-q', 'origin', 'main')
run('git', '-C', '/srv/bare', 'merge', '-q', '--ff-only', 'origin/main')
sha = run('git', '-C', '/srv/bare', 'rev-parse', 'HEAD')
run('systemctl', 'restart', 'bare.service')
def get(path): return json.load(urllib.request.urlopen('http://192.0.2.10:8401' + path))
good = 0
while good < 3:
    try:
        good = good + 1 if get('/healthz')['ok'] and get('/readyz')['ok'] and get('/version')['sha'] == sha else 0
    except OSError:
        good = 0
    if good < 3: time.sleep(1 if good else 0.05)
print((time.monotonic() - began) * 1000)
`

export const serverFigures: Figure[] = [
  {
    name: 'systemd: deploy − bare script',
    goal: '<= 200 ms',
    measure: () =>
      withServer([], async ({ machine, push, deploy }) => {
        await machine.ok('git', 'clone', '--quiet', '/srv/remote.git', '/srv/bare')
        await machine.run('tee', ['/etc/systemd/system/bare.service'], { input: bareUnit })
        await machine.ok('systemctl', 'daemon-reload')
        const pairs: { ours: number; bare: number }[] = []
        for (let round = 0; round <= rounds; round++) {
          const ref = await push()
          const bare = Number(await machine.ok('python3', '-c', bareScript))
          pairs.push({ bare, ours: await deploy(ref) })
        }
        const counted = pairs.slice(1)
        const added = median(counted.map(({ ours, bare }) => ours - bare))
        const [ours, bare] = [median(counted.map(pair => pair.ours)), median(counted.map(pair => pair.bare))]
        return {
          reached: added <= 200,
          value: `${Math.round(added)} ms`,
          details: `ours ${Math.round(ours)} ms, bare ${Math.round(bare)} ms, both with systemctl restart and three looks 1 s apart`,
        }
      }),
  },
  {
    name: 'systemd: failed requests in 10 deploys',
    goal: '0 of >= 4,000',
    measure: () =>
      withServer(['--socket'], async ({ machine, push, deploy }) => {
        await deploy(await push())
        const load = join(import.meta.dirname, 'requests.mjs')
        const loading = machine.run(process.execPath, [load, String(port), '/srv/over'], { limitMs: 300_000 })
        for (let i = 0; i < deploys; i++) await deploy(await push())
        await machine.ok('touch', '/srv/over')
        const { asked, failed, reasons } = JSON.parse((await loading).stdout) as Count
        return {
          reached: failed === 0 && asked >= 4000,
          value: `${failed}`,
          details: `of ${asked}, GET and POST in turn, each on its own connection, over ${deploys} deploys through a socket ${reasons.join(', ')}`,
        }
      }),
  },
]

interface Count {
  asked: number
  failed: number
  reasons: string[]
}

interface Server {
  machine: Machine
  push(): Promise<string>
  /** Milliseconds from the call to its answer, as its caller counts: as with the script, its own start is not in it. */
  deploy(ref: string): Promise<number>
}

async function withServer<T>(options: string[], measure: (server: Server) => Promise<T>): Promise<T> {
  const missing = Machine.missing()
  if (missing) throw new Error(missing)
  const machine = await Machine.boot()
  try {
    const qd = (...args: string[]) => machine.ok(process.execPath, qdFile, ...args)
    await qd('install', '--allow-any-place')
    const push = await remoteIn(machine)
    await push()
    const add = ['project', 'add', 'bench', '--repository', 'acme/bench', '--git', '/srv/remote.git']
    const place = ['--port', String(port), '--interpreter', '/usr/bin/python3', ...options]
    await qd(...add, ...place, '--', 'python', '-m', 'app')
    const token = (await qd('token', 'create', 'bench', '--label', 'bench')).trim()
    return await measure({ machine, push, deploy: ref => deployed(machine, token, ref) })
  } finally {
    await machine.remove()
  }
}

async function deployed(machine: Machine, token: string, ref: string): Promise<number> {
  const body = JSON.stringify({ ref, project: 'acme/bench' })
  const taken = await machine.ok(
    'curl',
    ...[
      '--silent',
      '--fail-with-body',
      '--output',
      '/dev/null',
      '--write-out',
      '%{time_total}',
      '--header',
      `Authorization: Bearer ${token}`,
    ],
    ...['--header', 'Content-Type: application/json', '--header', 'Prefer: wait=60', '--data', body],
    'http://admin.localhost:8300/api/deploy/bench',
  )
  return Number(taken) * 1000
}

async function remoteIn(machine: Machine): Promise<() => Promise<string>> {
  const git = (...args: string[]) =>
    machine.ok('git', '-C', '/srv/clone', '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args)
  const write = (path: string, input: string) => machine.run('tee', [`/srv/clone/${path}`], { input })
  await machine.ok('mkdir', '--parents', '/srv/clone/app', '/srv/clone/quarterdeck_kit')
  await machine.ok('git', 'init', '--quiet', '--bare', '--initial-branch=main', '/srv/remote.git')
  await git('init', '--quiet', '--initial-branch=main')
  await write('app/__main__.py', service)
  await write('requirements.txt', '')
  for (const file of globSync(join(root, 'kit-python/src/quarterdeck_kit/*.py'))) {
    await write(`quarterdeck_kit/${basename(file)}`, readFileSync(file, 'utf8'))
  }
  let count = 0
  return async () => {
    await write('count', String(++count))
    await git('add', '--all')
    await git('commit', '--quiet', '--message', `feat: change ${count}`)
    await git('push', '--quiet', '/srv/remote.git', 'main')
    return (await git('rev-parse', 'HEAD')).trim()
  }
}
