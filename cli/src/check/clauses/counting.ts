/** That /metrics tells the truth, whichever worker answers, and cannot be made to grow from outside. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { breach, type Clause, holds } from '../clause.ts'
import type { Probe } from '../probe.ts'
import type { Exposition, Family } from '../text-format/parse.ts'
import { readable, scrape, total } from './scrape.ts'

const requests = 'http_requests_total'
const latency = 'http_request_duration_seconds'
const sent = 5
const strangers = 20
const scrapes = 8
/** A request is counted when it has ended, which its client may know a little earlier. */
const patienceMs = 1000

export const countingClauses: readonly Clause[] = [
  readable('metrics.counted', 'requests are counted under their route', async (_, probe) => {
    // Where /healthz gives no answer at all, its own clause has said so.
    await probe.first('/healthz')
    const before = await scrape(probe)
    for (let i = 0; i < sent; i++) await probe.ask('/healthz')
    const after = await scrapeUntil(
      probe,
      now => grown(before, now, healthz) >= sent && timed(before, now) >= sent,
    )
    const counted = grown(before, after, healthz)
    if (counted < sent) {
      return breach(
        `${sent} requests for /healthz, ${counted} of them counted with method="GET" and endpoint="/healthz"`,
        'Count every request, probes too, with the template of its route as endpoint, over all workers together.',
      )
    }
    return timed(before, after) < sent
      ? breach(
          `${latency}_count did not grow with them`,
          `Observe the duration of every request in ${latency}.`,
        )
      : holds(`${sent} requests, all counted`)
  }),
  readable('metrics.monotonic', 'counters never go down', async (first, probe) => {
    let before = first
    for (let i = 0; i < scrapes; i++) {
      const now = (await scrape(probe)) ?? before
      const fallen = fallenCounter(before, now)
      if (fallen) {
        return breach(
          `${fallen} went down between two scrapes`,
          'Add up the counts of all workers, also of those that ended, instead of telling those of one.',
        )
      }
      before = now
    }
    return holds(`${scrapes + 1} scrapes`)
  }),
  readable('metrics.unmatched', 'unknown paths share one endpoint', async (_, probe) => {
    const before = await scrape(probe)
    const paths = Array.from({ length: strangers }, () => `/qd-check-${randomUUID()}`)
    await Promise.all(paths.map(path => probe.ask(path)))
    const after = await scrapeUntil(probe, now => grown(before, now, notScrapes) >= strangers)
    const known = endpointsOf(before)
    const added = [...endpointsOf(after)].filter(endpoint => !known.has(endpoint))
    if (added.length > 1) {
      return breach(
        `${strangers} unknown paths made ${added.length} new values of endpoint`,
        'Use one constant endpoint, such as "unmatched", where no route matches: scanners would fill the memory.',
      )
    }
    return grown(before, after, notScrapes) < strangers
      ? breach(
          `${strangers} unknown paths were not counted`,
          'Count what no route matches too, as one endpoint.',
        )
      : holds(`${strangers} unknown paths, ${added.length} new values`)
  }),
]

type Labels = ReadonlyMap<string, string>

/** Under a base path the template may have it before. */
const healthz = (labels: Labels) =>
  labels.get('method') === 'GET' && (labels.get('endpoint') ?? '').endsWith('/healthz')

/** Waiting for the count must not add to it. */
const notScrapes = (labels: Labels) => !(labels.get('endpoint') ?? '').endsWith('/metrics')

const grown = (
  before: Exposition | undefined,
  after: Exposition | undefined,
  fits: (labels: Labels) => boolean,
): number =>
  total(after, requests, ({ labels }) => fits(labels)) - total(before, requests, ({ labels }) => fits(labels))

function timed(before: Exposition | undefined, after: Exposition | undefined): number {
  const isCount = ({ name }: { name: string }) => name === `${latency}_count`
  return total(after, latency, isCount) - total(before, latency, isCount)
}

async function scrapeUntil(
  probe: Probe,
  enough: (metrics: Exposition | undefined) => boolean,
): Promise<Exposition | undefined> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const metrics = await scrape(probe)
    if (enough(metrics) || performance.now() > endMs) return metrics
    await wait(20)
  }
}

const endpointsOf = (metrics: Exposition | undefined): Set<string> =>
  new Set((metrics?.get(requests)?.samples ?? []).map(({ series }) => series.labels.get('endpoint') ?? ''))

function fallenCounter(before: Exposition, after: Exposition): string | undefined {
  const now = new Map([...after.values()].flatMap(cumulative))
  const [fallen] =
    [...before.values()]
      .flatMap(cumulative)
      .find(([series, { value }]) => !((now.get(series)?.value ?? -1) >= value)) ?? []
  return fallen?.split('[', 1)[0]
}

/** The samples that only ever grow. */
const cumulative = ({ kind, samples }: Family): [string, Family['samples'][number]][] =>
  samples
    .filter(({ series: { name } }) => kind === 'counter' || (kind === 'histogram' && !name.endsWith('_sum')))
    .map(sample => [sample.series.identity, sample])
