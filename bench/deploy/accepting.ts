/** How many deploys are accepted, each on disk before its answer, against Debian's `webhook`, which only starts a program. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type Figure, median } from '../figure.ts'
import { startEnvironment, startProgram } from '../process.ts'
import { call, freePort, scratch } from './place.ts'

const projects = 50
const connections = 64
const seconds = 4
const rounds = 3
/** Both servers run on one core, the load on the other. */
const onOneCore = ['taskset', '--cpu-list', '1'] as const

interface Target {
  readonly url: string
  readonly requests: { path: string; headers: Record<string, string>; project: string }[]
}

export const accepting: Figure = {
  name: 'accepting : Debian’s webhook',
  goal: '>= 5',
  async measure() {
    if (spawnSync('webhook', ['-version']).error) {
      throw new Error('This figure needs Debian’s webhook: apt-get install webhook')
    }
    const { directory, remove } = scratch()
    const ours = await startOurs(directory)
    const peer = await startWebhook(directory)
    const pairs = []
    for (let round = 0; round <= rounds; round++) {
      pairs.push({ peer: await callsPerSecond(peer.target), ours: await callsPerSecond(ours.target) })
    }
    await Promise.all([ours.stop(), peer.stop()])
    remove()
    const ratio = median(pairs.slice(1).map(pair => pair.ours / pair.peer))
    const [own, other] = [median(pairs.map(pair => pair.ours)), median(pairs.map(pair => pair.peer))]
    return {
      reached: ratio >= 5,
      value: ratio.toFixed(1),
      details: `${Math.round(own)}/s durable and recorded, ${Math.round(other)}/s by webhook with /bin/true; one core each, ${projects} projects`,
    }
  },
}

async function startOurs(directory: string) {
  const config = join(directory, 'quarterdeck.yaml')
  writeFileSync(config, 'limits: { deploys_per_minute: 1000000 }\n')
  const main = join(import.meta.dirname, '../../cli/src/main.ts')
  const [file, ...args] = [...onOneCore, process.execPath, main, 'up', '--config', config]
  const environment = await startEnvironment(file, args)
  const token = readFileSync(join(environment.home, 'operator.token'), 'utf8').trim()
  const access = { port: environment.port, token }
  const requests = []
  for (let i = 0; i < projects; i++) {
    const name = `p${i}`
    const repository = { repository: `acme/${name}`, git_url: `/nowhere/${name}` }
    await call(access, 'POST', '/api/projects', { name, ...repository, runtime: 'python', start: ['python'] })
    // What is measured is accepting: nothing is deployed meanwhile.
    await call(access, 'POST', `/api/projects/${name}/hold`)
    const made = await call(access, 'POST', `/api/projects/${name}/tokens`, { label: 'ci' })
    const headers = { host: 'admin.localhost', authorization: `Bearer ${made.json.token}` }
    requests.push({ path: `/api/deploy/${name}`, headers, project: repository.repository })
  }
  const target: Target = { url: `http://127.0.0.1:${environment.port}`, requests }
  return { target, stop: environment.stop }
}

async function startWebhook(directory: string) {
  const secret = 'Bearer bench'
  const rule = { type: 'value', value: secret, parameter: { source: 'header', name: 'Authorization' } }
  const ids = Array.from({ length: projects }, (_, i) => `p${i}`)
  const hooks = ids.map(id => ({
    id,
    'execute-command': '/bin/true',
    'trigger-rule': { match: rule },
    'pass-arguments-to-command': [{ source: 'payload', name: 'ref' }],
  }))
  const file = join(directory, 'hooks.json')
  writeFileSync(file, JSON.stringify(hooks))
  const port = await freePort()
  const [program, ...args] = [
    ...onOneCore,
    'webhook',
    '-hooks',
    file,
    '-ip',
    '127.0.0.1',
    '-port',
    String(port),
    '-verbose',
  ]
  const running = await startProgram(program, args, /serving hooks on .*:(\d+)/)
  const requests = ids.map(id => ({
    path: `/hooks/${id}`,
    headers: { authorization: secret },
    project: `acme/${id}`,
  }))
  const target: Target = { url: `http://127.0.0.1:${port}`, requests }
  return { target, stop: () => running.stop() }
}

async function callsPerSecond({ url, requests }: Target): Promise<number> {
  let count = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests.map(({ path, headers, project }) => ({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
      // Another commit each time: the same one again would be the same call.
      setupRequest: request => ({
        ...request,
        body: JSON.stringify({ ref: (++count).toString(16).padStart(40, '0'), project }),
      }),
    })),
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  }
  return result.requests.average
}
