/** What control does when services tell far too much: it stays small, and goes on looking at the others. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ActiveTarget } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ask, type Environment, up } from './environment.ts'

const mib = 1024 * 1024
/** About 90 MB, if it were all told. */
const series = 1_000_000
const hogs = 40

/** So many series, in pieces, as fast as they are taken. */
function tell(response: ServerResponse, count: number): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
  let told = 0
  const more = () => {
    while (told < count && !response.destroyed) {
      const piece = Array.from(
        { length: Math.min(1000, count - told) },
        (_, nth) =>
          `http_requests_total{method="GET",endpoint="/a/long/path/to/some/thing/${told + nth}"} 1\n`,
      )
      told += piece.length
      if (!response.write(piece.join(''))) return void response.once('drain', more)
    }
    if (count === series) response.end()
  }
  more()
}

const answers: Record<string, (response: ServerResponse) => void> = {
  '/million': response => tell(response, series),
  '/endless': response => tell(response, Number.POSITIVE_INFINITY),
  // 9 MB, which is allowed, and then nothing more.
  '/hog': response => tell(response, 100_000),
  '/small': response => response.end('x 1\n'),
}

async function startTargets(): Promise<number> {
  const server = createServer((request, response) => answers[request.url!]!(response))
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const jobs = (port: number) =>
  ['small', 'million', 'endless', ...Array.from({ length: hogs }, (_, nth) => `hog-${nth}`)].map(
    (job_name, nth) => ({
      ...{
        job_name,
        metrics_path: `/${job_name.split('-')[0]}`,
        scrape_interval: '1s',
        scrape_timeout: '1s',
      },
      // Hosts of their own: none waits for another because it is on the same machine.
      static_configs: [{ targets: [`127.0.0.${nth + 10}:${port}`] }],
    }),
  )

const peakBytes = ({ process }: Environment): number =>
  1024 * Number(readFileSync(`/proc/${process.pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)![1])

test('pages of a million series, endless ones and many that hang are refused in bounded memory, and delay nobody', {
  timeout: 120_000,
}, async () => {
  const home = temporaryDirectory()
  const environment = await up(home)
  const targets = async (): Promise<Map<string, ActiveTarget>> => {
    const { text } = await environment.ask('metrics.localhost', '/api/v1/targets')
    const active: ActiveTarget[] = JSON.parse(text).data.activeTargets
    return new Map(active.map(target => [target.scrapePool, target]))
  }
  await until('it is at work', async () => (await targets()).get('admin')?.health === 'up', 40_000)
  const before = peakBytes(environment)

  mkdirSync(join(home, 'scrape'), { recursive: true })
  writeFileSync(
    join(home, 'scrape/large.yml'),
    JSON.stringify({ scrape_configs: jobs(await startTargets()) }),
  )
  expect((await ask(environment.port, 'metrics.localhost', '/-/reload', {}, 'POST')).status).toBe(200)
  const seen = new Map<string, Set<string>>()
  await until(
    'each of them was looked at again and again',
    async () => {
      for (const [job, { lastScrape }] of await targets())
        seen.set(job, (seen.get(job) ?? new Set()).add(lastScrape))
      return ['million', 'endless', 'hog-7'].every(job => (seen.get(job)?.size ?? 0) > 5)
    },
    90_000,
  )
  const found = await targets()
  for (const job of ['million', 'endless', 'hog-7']) expect(found.get(job)).toMatchObject({ health: 'down' })
  expect(found.get('small')).toMatchObject({ health: 'up', lastError: '' })
  // As often as those that hold it up for as long as they can.
  expect(seen.get('small')!.size).toBeGreaterThan(5)
  expect((peakBytes(environment) - before) / mib).toBeLessThan(250)
})
