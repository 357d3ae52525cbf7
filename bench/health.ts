/** How much of bare Fastify's throughput control keeps on /healthz, through its edge, with everything that it adds. */
import { join } from 'node:path'
import type { Figure } from './figure.ts'
import { compare, processorRatio, type Round, show, throughputRatio } from './load.ts'
import { startEnvironment, startProgram } from './process.ts'

/** One process of the same program is a little faster than the next: several pairs. */
const pairs = 3
const rounds = 6

export const health: Figure = {
  name: '/healthz on control : bare Fastify',
  goal: '>= 0.85',
  async measure() {
    const measured: Round[] = []
    for (let pair = 0; pair < pairs; pair++) measured.push(...(await measurePair()))
    const ratio = throughputRatio(measured)
    return {
      reached: ratio >= 0.85,
      value: ratio.toFixed(2),
      details: `control ${show(measured.map(({ ours }) => ours))}; bare ${show(measured.map(({ peer }) => peer))}; by processor time ${processorRatio(measured).toFixed(2)}`,
    }
  },
}

async function measurePair(): Promise<Round[]> {
  const bareFastify = join(import.meta.dirname, 'bare-fastify.ts')
  const bare = await startProgram(process.execPath, [bareFastify], /port (\d+)/)
  const control = await startEnvironment()
  const path = '/healthz'
  const measured = await compare(
    { program: control, path, host: 'admin.localhost' },
    { program: bare, path },
    rounds,
  )
  await Promise.all([bare.stop(), control.stop()])
  return measured
}
