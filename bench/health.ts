/** How much of bare Fastify's throughput control keeps on /healthz, through its edge, with everything that it adds. */
import { join } from 'node:path'
import autocannon from 'autocannon'
import { type Figure, median } from './figure.ts'
import { cpuSeconds, type Measurable, startEnvironment, startProgram } from './process.ts'

const warmUpSeconds = 5
// Many short rounds in turns: a shared machine has moods, and each should fall on both.
const rounds = 15
const seconds = 2

export const health: Figure = {
  name: '/healthz on control : bare Fastify',
  goal: '>= 0.85',
  async measure() {
    const bare = await startProgram(
      process.execPath,
      [join(import.meta.dirname, 'bare-fastify.ts')],
      /port (\d+)/,
    )
    const control = await startEnvironment()
    await load(bare, 'localhost', warmUpSeconds)
    await load(control, 'admin.localhost', warmUpSeconds)
    const pairs: { bare: Load; control: Load }[] = []
    for (let round = 0; round < rounds; round++) {
      pairs.push({
        bare: await load(bare, 'localhost', seconds),
        control: await load(control, 'admin.localhost', seconds),
      })
    }
    await Promise.all([bare.stop(), control.stop()])
    const ratio = median(pairs.map(pair => pair.control.perSecond / pair.bare.perSecond))
    const cpuRatio = median(pairs.map(pair => pair.bare.cpuMicroseconds / pair.control.cpuMicroseconds))
    const show = ({ perSecond, cpuMicroseconds }: Load) =>
      `${Math.round(perSecond)}/s, ${cpuMicroseconds.toFixed(1)} µs of processor each`
    return {
      reached: ratio >= 0.85,
      value: ratio.toFixed(2),
      details: `control ${show(pairs.at(-1)!.control)}; bare ${show(pairs.at(-1)!.bare)}; by processor time ${cpuRatio.toFixed(2)}`,
    }
  },
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
