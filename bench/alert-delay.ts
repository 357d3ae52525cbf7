/**
 * From the sample that makes `for` true to the message in the hands of its channel, next to the same rules through Prometheus
 * and Alertmanager with their defaults.
 */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Access, call, freePort, scratch } from './deploy/place.ts'
import { type Figure, median } from './figure.ts'
import { startEnvironment, startProgram } from './process.ts'

const rounds = 20
const peerRounds = 5
/** Fewer than would be a storm. */
const everyMs = 4500
const forS = 2
const limitMs = 300_000

export const alertDelay: Figure = {
  name: 'sample to message, p99',
  goal: '<= 1 s',
  async measure() {
    const { directory, remove } = scratch()
    const [ours, peer] = await Promise.all([measureOurs(), measurePeer(directory)])
    remove()
    const worst = Math.max(...ours)
    return {
      reached: worst <= 1000,
      value: `${(worst / 1000).toFixed(2)} s`,
      details: `the slowest of ${rounds}, median ${Math.round(median(ours))} ms; Prometheus and Alertmanager with their defaults: median ${(median(peer) / 1000).toFixed(1)} s, slowest ${(Math.max(...peer) / 1000).toFixed(1)} s of ${peerRounds}`,
    }
  },
}

async function measureOurs(): Promise<number[]> {
  const service = await startService(rounds)
  const hook = await startHook()
  const environment = await startEnvironment()
  const token = readFileSync(join(environment.home, 'operator.token'), 'utf8').trim()
  const access = { port: environment.port, token }
  const running = [environment, service, hook]
  try {
    return await failOneByOne(access, environment, service, hook)
  } finally {
    await Promise.all(running.map(each => each.stop()))
  }
}

async function failOneByOne(
  access: Access,
  environment: { home: string; port: number },
  service: Service,
  hook: Hook,
): Promise<number[]> {
  mkdirSync(join(environment.home, 'rules'), { recursive: true })
  writeFileSync(join(environment.home, 'rules/bench.yml'), rules(rounds))
  const url = `http://127.0.0.1:${service.port}`
  await done(
    call(access, 'POST', '/api/services', { id: 'bench', url, is_kit: true, interval_s: 5, timeout_s: 3 }),
  )
  await done(
    call(access, 'POST', '/api/channels', { name: 'bench', settings: { kind: 'webhook', url: hook.url } }),
  )
  await reload(environment.port)
  const delays = []
  for (let round = 0; round < rounds; round++) {
    service.fail(round)
    delays.push(delayOf(service, hook, round))
    await wait(everyMs)
  }
  return Promise.all(delays)
}

async function measurePeer(directory: string): Promise<number[]> {
  const service = await startService(peerRounds)
  const hook = await startHook()
  const [manager, prometheus] = [await freePort(), await freePort()]
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const receiver = `{name: bench, webhook_configs: [{url: '${hook.url}'}]}`
  const managerFile = file('alertmanager.yml', `route: {receiver: bench}\nreceivers: [${receiver}]\n`)
  const rulesFile = file('rules.yml', rules(peerRounds))
  const prometheusFile = file(
    'prometheus.yml',
    `rule_files: ['${rulesFile}']
alerting: {alertmanagers: [{static_configs: [{targets: ['127.0.0.1:${manager}']}]}]}
scrape_configs: [{job_name: bench, static_configs: [{targets: ['127.0.0.1:${service.port}']}]}]
`,
  )
  const alertmanager = await startProgram(
    'prometheus-alertmanager',
    [
      ...[`--config.file=${managerFile}`, `--web.listen-address=127.0.0.1:${manager}`],
      ...['--cluster.listen-address=', `--storage.path=${join(directory, 'alertmanager')}`],
    ],
    /(\d+)/,
  )
  const server = await startProgram(
    'prometheus',
    [
      ...[`--config.file=${prometheusFile}`, `--web.listen-address=127.0.0.1:${prometheus}`],
      `--storage.tsdb.path=${join(directory, 'prometheus')}`,
    ],
    /(\d+)/,
  )
  for (let round = 0; round < peerRounds; round++) service.fail(round)
  try {
    return await Promise.all(Array.from({ length: peerRounds }, (_, round) => delayOf(service, hook, round)))
  } finally {
    await Promise.all([server, alertmanager, service, hook].map(each => each.stop()))
  }
}

const rules = (count: number) =>
  `groups:\n  - name: bench\n    rules:\n${Array.from(
    { length: count },
    (_, n) =>
      `      - {alert: Bench${n}, expr: 'bench_failing{n="${n}"} == 1', for: ${forS}s, labels: {severity: critical}, annotations: {summary: It fails}}\n`,
  ).join('')}`

interface Service {
  readonly port: number
  fail(n: number): void
  /** When the sample was given that made `for` true; undefined: not yet. */
  samplePassed(n: number): number | undefined
  stop(): Promise<unknown>
}

/** A service whose metrics fail one after the other, and that remembers when it told of that. */
async function startService(count: number): Promise<Service> {
  const failing = new Set<number>()
  const told = new Map<number, number[]>()
  const json = (body: unknown) => ({ type: 'application/json', body: JSON.stringify(body) })
  const metrics = () => {
    for (const n of failing) told.set(n, [...(told.get(n) ?? []), Date.now()])
    const lines = Array.from(
      { length: count },
      (_, n) => `bench_failing{n="${n}"} ${failing.has(n) ? 1 : 0}\n`,
    )
    return { type: 'text/plain; version=0.0.4', body: lines.join('') }
  }
  const answers: Record<string, () => { type: string; body: string }> = {
    '/healthz': () => json({ ok: true }),
    '/readyz': () => json({ ok: true }),
    '/version': () => json({ name: 'bench', sha: 'bench' }),
    '/metrics': metrics,
  }
  const server = createServer((asked, response) => {
    const { type, body } = answers[asked.url!]?.() ?? json({})
    response.writeHead(200, { 'content-type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    fail: n => failing.add(n),
    samplePassed: n => told.get(n)?.find(at => at - told.get(n)![0]! >= forS * 1000),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Hook {
  readonly url: string
  /** When the alert came first. */
  cameAt(alert: string): number | undefined
  stop(): Promise<unknown>
}

async function startHook(): Promise<Hook> {
  const came = new Map<string, number>()
  const server = createServer(async (asked, response) => {
    let text = ''
    for await (const piece of asked.setEncoding('utf8')) text += piece
    const at = Date.now()
    const { alerts = [] } = JSON.parse(text) as {
      alerts?: { status: string; labels: { alertname: string } }[]
    }
    for (const { status, labels } of alerts)
      if (status === 'firing' && !came.has(labels.alertname)) came.set(labels.alertname, at)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    cameAt: alert => came.get(alert),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function delayOf(service: Service, hook: Hook, n: number): Promise<number> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const [sampled, came] = [service.samplePassed(n), hook.cameAt(`Bench${n}`)]
    if (sampled !== undefined && came !== undefined) return Math.max(0, came - sampled)
    if (performance.now() > endMs) throw new Error(`Bench${n} was not told within ${limitMs / 1000} s.`)
    await wait(50)
  }
}

async function done(reply: ReturnType<typeof call>): Promise<void> {
  const { status, json } = await reply
  if (status >= 300) throw new Error(JSON.stringify(json))
}

async function reload(port: number): Promise<void> {
  const headers = { host: 'metrics.localhost' }
  const asked = request({ host: '127.0.0.1', port, path: '/-/reload', method: 'POST', headers }).end()
  const [response] = await once(asked, 'response')
  response.resume()
  if (response.statusCode !== 200) throw new Error(`The rules were refused: ${response.statusCode}.`)
}
