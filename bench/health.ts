/** How much of bare Fastify's throughput control keeps on /healthz, through its edge, with everything that it adds. */
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type Figure, median } from './figure.ts'
import { cpuSeconds, type Measurable, startEnvironment, startProgram } from './process.ts'

// A shared machine has moods, and one process of the same program is a little faster than the next: several pairs of
// processes, and short rounds in turns, so that each mood falls on both.
const pairs = 3
const rounds = 6
const seconds = 2
const warmUpSeconds = 4

export const health: Figure = {
  name: '/healthz on control : bare Fastify',
  goal: '>= 0.85',
  async measure() {
    const measured: Round[] = []
    for (let pair = 0; pair < pairs; pair++) measured.push(...(await measurePair()))
    const ratio = median(measured.map(round => round.control.perSecond / round.bare.perSecond))
    const cpuRatio = median(measured.map(round => round.bare.cpuMicroseconds / round.control.cpuMicroseconds))
    return {
      reached: ratio >= 0.85,
      value: ratio.toFixed(2),
      details: `control ${show(measured.map(round => round.control))}; bare ${show(measured.map(round => round.bare))}; by processor time ${cpuRatio.toFixed(2)}`,
    }
  },
}

interface Round {
  bare: Load
  control: Load
}

async function measurePair(): Promise<Round[]> {
  const bareFastify = join(import.meta.dirname, 'bare-fastify.ts')
  const bare = await startProgram(process.execPath, [bareFastify], /port (\d+)/)
  const control = await startEnvironment()
  await load(bare, 'localhost', warmUpSeconds)
  await load(control, 'admin.localhost', warmUpSeconds)
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    measured.push({
      bare: await load(bare, 'localhost', seconds),
      control: await load(control, 'admin.localhost', seconds),
    })
  }
  await Promise.all([bare.stop(), control.stop()])
  return measured
}

function show(loads: readonly Load[]): string {
  const perSecond = Math.round(median(loads.map(load => load.perSecond)))
  return `${perSecond}/s, ${median(loads.map(load => load.cpuMicroseconds)).toFixed(1)} µs of processor each`
}

interface Load {
  perSecond: number
  cpuMicroseconds: number
}

async function load({ pid, port }: Measurable, host: string, duration: number): Promise<Load> {
  const before = cpuSeconds(pid)
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/healthz`,
    headers: { host },
    connections: 32,
    pipelining: 4,
    duration,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return {
    perSecond: result.requests.average,
    cpuMicroseconds: ((cpuSeconds(pid) - before) / result.requests.total) * 1e6,
  }
}
