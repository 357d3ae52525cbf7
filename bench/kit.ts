/** What the kit costs a service, framework by framework: throughput with it, of throughput without. */
import { join } from 'node:path'
import type { Figure } from './figure.ts'
import { compare, processorRatio, type Round, show, throughputRatio } from './load.ts'
import { startProgram } from './process.ts'

const pairs = 3
const rounds = 5

export const kitFigures: Figure[] = ['Fastify', 'Express', 'Hono', 'node:http'].map(framework => ({
  name: `${framework} with the kit : without`,
  goal: '>= 0.95',
  async measure() {
    const measured: Round[] = []
    for (let pair = 0; pair < pairs; pair++) measured.push(...(await measurePair(framework)))
    const ratio = throughputRatio(measured)
    return {
      reached: ratio >= 0.95,
      value: ratio.toFixed(2),
      details: `with ${show(measured.map(({ ours }) => ours))}; without ${show(measured.map(({ peer }) => peer))}; by processor time ${processorRatio(measured).toFixed(2)}`,
    }
  },
}))

async function measurePair(framework: string): Promise<Round[]> {
  const start = (kept: string) =>
    startProgram(
      process.execPath,
      [join(import.meta.dirname, 'kit-service.ts'), framework, kept],
      /port (\d+)/,
    )
  const [kept, bare] = await Promise.all([start('with'), start('without')])
  const path = '/items/7'
  const measured = await compare({ program: kept, path }, { program: bare, path }, rounds)
  await Promise.all([kept.stop(), bare.stop()])
  return measured
}
