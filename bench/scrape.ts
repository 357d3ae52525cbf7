/** How long a scrape of 1,000 series takes with the kit, of what prom-client alone takes for them. */
import { Kit } from '@quarterdeck/kit'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { type Figure, median } from './figure.ts'

const series = 1000
const rounds = 200

export const scrape: Figure = {
  name: '/metrics with 1,000 series : prom-client',
  goal: '<= 1.2',
  async measure() {
    const kit = new Kit({ name: 'hello' })
    fill(kit.metrics.registry)
    // The same series as the kit's: the process's own are among them.
    const alone = new Registry()
    collectDefaultMetrics({ register: alone })
    fill(alone)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round++) {
      const peer = await took(() => alone.metrics())
      const ours = await took(() => kit.metricsText(undefined))
      ratios.push(ours / peer)
    }
    const ratio = median(ratios.slice(rounds / 4))
    return { reached: ratio <= 1.2, value: ratio.toFixed(2), details: `median of ${rounds} scrapes in turns` }
  },
}

function fill(registry: Registry): void {
  const counter = new Counter({
    name: 'orders_total',
    help: 'Orders',
    labelNames: ['shop'],
    registers: [registry],
  })
  for (let i = 0; i < series; i++) counter.inc({ shop: `shop-${i}` }, i)
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
