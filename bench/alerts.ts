/**
 * How many alerts a second of CPU takes in through /api/v2/alerts, each on disk before its answer: new ones, and the same
 * ones again, as a Prometheus sends them every minute. The time from a sample to a message is measured with the rules.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type Figure, median } from './figure.ts'
import { startEnvironment } from './process.ts'

/** As Prometheus 3 sends them. */
const batch = 256
const alerts = 20_000
const rounds = 3
const leastPerSecond = 10_000
const ticksPerSecond = 100

export const alertFigures: Figure[] = [
  figure('alerts taken in, new', 'started'),
  figure('alerts taken in, again', 'again'),
]

function figure(name: string, kind: 'started' | 'again'): Figure {
  return {
    name,
    goal: `>= ${leastPerSecond} per second of CPU`,
    async measure() {
      const environment = await startEnvironment()
      const agent = new Agent({ keepAlive: true, maxSockets: 2 })
      const figures: number[] = []
      // The first warms up, and brings what is sent again.
      for (let round = 0; round <= rounds; round++) {
        const bodies = bodiesOf(kind === 'again' ? 0 : round)
        const beforeS = cpuSeconds(environment.pid)
        await Promise.all(bodies.map(body => post(agent, environment.port, body)))
        figures.push(alerts / (cpuSeconds(environment.pid) - beforeS))
      }
      agent.destroy()
      await environment.stop()
      const perSecond = median(figures.slice(1))
      return {
        reached: perSecond >= leastPerSecond,
        value: `${Math.round(perSecond)}/s`,
        details: `${alerts} alerts in batches of ${batch}, over HTTP, on disk; the whole process is counted`,
      }
    },
  }
}

function bodiesOf(round: number): string[] {
  const list = Array.from({ length: alerts }, (_, index) => ({
    labels: {
      alertname: 'ServiceDown',
      instance: `web-${index}.example.com:8101`,
      job: `job-${index % 10}`,
      round: String(round),
      severity: 'warning',
    },
    annotations: {
      summary: `job-${index % 10} is down`,
      description: 'It has been down for more than 2 minutes.',
    },
    startsAt: '2026-03-02T09:15:00.482Z',
    endsAt: new Date(Date.now() + 600_000).toISOString(),
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  }))
  return Array.from({ length: Math.ceil(alerts / batch) }, (_, index) =>
    JSON.stringify(list.slice(index * batch, (index + 1) * batch)),
  )
}

function post(agent: Agent, port: number, body: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const asking = request(
    { agent, port, host: '127.0.0.1', path: '/api/v2/alerts', method: 'POST', headers },
    answer => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`)),
      )
    },
  )
  asking.on('error', reject)
  asking.end(body)
  return promise
}

/** Of the process and all of its threads. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
