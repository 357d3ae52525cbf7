/** How many bytes of metrics are read in the time in which JSON.parse reads as many bytes of the same samples. */
import { Kit } from '@quarterdeck/kit'
import { familiesOf, KnownLines, type Page, readPage } from '@quarterdeck/metrics-text'
import { type Figure, median } from './figure.ts'

const rounds = 60
const leastRatio = 0.5
const mostMicroseconds = 30
/** Long enough for a clock, short enough to come between what else runs on the machine. */
const roundMs = 8
const shortRounds = 1500

export const metricsTextFigures: Figure[] = [
  ratioFigure('10,000 series', () => page(10_000, i => `orders_total{shop="shop-${i}"} ${i * 17}`)),
  ratioFigure('10,000 series with six labels', () =>
    page(
      10_000,
      i =>
        `http_requests_total{method="GET",endpoint="/orders/{id}",status="200",zone="eu-west-1",instance="10.0.0.${i % 255}:8080",pod="shop-${i}-abcdef"} ${i * 17}.25`,
    ),
  ),
  ratioFigure('63 series of a kit', kitPage),
  {
    name: 'metrics: a page like the last one',
    goal: `<= ${mostMicroseconds} µs`,
    async measure() {
      const text = await kitPage()
      const known = new KnownLines()
      const times = Array.from({ length: shortRounds }, () => took(() => readPage(text, { known }), 1))
      const fastest = Math.min(...times)
      return {
        reached: fastest <= mostMicroseconds,
        value: `${fastest.toFixed(1)} µs`,
        details: `fastest of ${shortRounds} rounds, 63 series of a kit in ${text.length} bytes, median ${median(times).toFixed(1)} µs`,
      }
    },
  },
]

function ratioFigure(shape: string, make: () => Buffer | Promise<Buffer>): Figure {
  return {
    name: `metrics, ${shape} : JSON`,
    goal: `>= ${leastRatio}`,
    async measure() {
      const text = await make()
      const json = JSON.stringify(asObjects(readPage(text)))
      const known = new KnownLines()
      const cold: number[] = []
      const again: number[] = []
      for (let round = 0; round < rounds; round++) {
        const peer = took(() => JSON.parse(json)) / json.length
        cold.push(peer / (took(() => readPage(text)) / text.length))
        again.push(peer / (took(() => readPage(text, { known })) / text.length))
      }
      const ratio = median(cold.slice(rounds / 4))
      return {
        reached: ratio >= leastRatio,
        value: ratio.toFixed(2),
        details: `${median(again.slice(rounds / 4)).toFixed(2)} for a page like the last one; medians of ${rounds} rounds in turns`,
      }
    },
  }
}

const page = (series: number, line: (i: number) => string): Buffer =>
  Buffer.from(Array.from({ length: series }, (_, i) => `${line(i)}\n`).join(''))

async function kitPage(): Promise<Buffer> {
  const kit = new Kit({ name: 'hello' })
  for (const endpoint of ['/healthz', '/readyz', '/version', '/metrics'])
    kit.metrics.observe('GET', endpoint, 0.01)
  const { body } = await kit.metricsText(undefined)
  let left = 63
  return Buffer.from(body.replace(/^[^#\n].*\n/gm, line => (left-- > 0 ? line : '')))
}

/** What the page says, as somebody would write it in JSON. */
const asObjects = (read: Page) => ({
  families: [...familiesOf(read).values()],
  samples: read.samples.map(({ series, value }) => ({
    name: series.name,
    labels: Object.fromEntries(series.labels),
    value,
  })),
})

/** Microseconds of one. */
function took(work: () => unknown, leastMs = roundMs): number {
  const startedMs = performance.now()
  let times = 0
  do {
    work()
    times++
  } while (performance.now() - startedMs < leastMs)
  return ((performance.now() - startedMs) * 1000) / times
}
