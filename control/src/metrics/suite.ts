/** What every metrics engine does with the same files, services and faults. */
import { join } from 'node:path'
import { serviceDown } from '@quarterdeck/contract'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type MetricsEngine, ReloadRefused } from './engine.ts'
import { type beginMetrics, writeFiles } from './under-test.ts'

export type Metrics = Awaited<ReturnType<typeof beginMetrics<MetricsEngine>>>

export interface Begun {
  readonly metrics: Metrics
  readonly service: { readonly port: number; stop(): Promise<void>; listen(port: number): Promise<void> }
}

export interface SuiteOptions {
  /** On an empty home, or one that was used before; with a service that answers, scraped every second. */
  begin(options: { home?: string; files: Record<string, string>; port?: number }): Promise<Begun>
  /** Why it cannot run here. */
  missing?: string | undefined
}

/** As it is shipped, but for its time. */
export const quick = (seconds: number): string =>
  stringify({
    groups: [
      { name: 'quick', interval: '1s', rules: [{ ...serviceDown, alert: 'Quick', for: `${seconds}s` }] },
    ],
  })

export const own =
  'scrape_configs:\n  - job_name: nobody\n    static_configs: [{targets: ["127.0.0.1:1"], labels: {rack: "<b>\\"&"}}]\n'

interface AlertShown {
  readonly state: string
  readonly activeAt: string
  readonly labels: Readonly<Record<string, string>>
}

export const alertOf = async ({ ask }: Metrics, job: string): Promise<AlertShown | undefined> =>
  ((await ask('alerts')).data?.alerts as AlertShown[] | undefined)?.find(
    ({ labels }) => labels.alertname === 'Quick' && labels.job === job,
  )

const isUp = (metrics: Metrics) => async () => {
  const { data } = await metrics.ask('query', { query: 'up{job="hello"}' })
  return data?.result[0]?.value[1] === '1'
}

export function metricsEngineSuite(name: string, { begin, missing }: SuiteOptions): void {
  const story = (title: string, run: () => Promise<void>) =>
    test(`${name}: ${title}`, { timeout: 60_000 }, async context => {
      if (missing) context.skip(missing)
      await run()
    })

  story('an alert fires after its time and ends with its reason', async () => {
    const { metrics, service } = await begin({ files: { 'rules/quick.yml': quick(3) } })
    const { port } = service
    await until('it is scraped', isUp(metrics), 20_000)
    expect(await alertOf(metrics, 'hello')).toBeUndefined()
    await service.stop()
    const pending = await until('it is pending', () => alertOf(metrics, 'hello'))
    expect(pending.state).toBe('pending')
    await until('it fires', async () => (await alertOf(metrics, 'hello'))?.state === 'firing')
    const waitedMs = Date.now() - Date.parse(pending.activeAt)
    expect(waitedMs).toBeGreaterThan(2900)
    expect(waitedMs).toBeLessThan(6000)
    await service.listen(port)
    await until('it has ended', async () => (await alertOf(metrics, 'hello')) === undefined)
  })

  story('a restart in the middle of its time loses none of it', async () => {
    const home = temporaryDirectory()
    const before = await begin({ home, files: { 'rules/quick.yml': quick(15) } })
    const { port } = before.service
    await until('it is scraped', isUp(before.metrics), 20_000)
    await before.service.stop()
    const { activeAt } = await until('it is pending', () => alertOf(before.metrics, 'hello'))
    await until('some of its time is over', () => Date.now() - Date.parse(activeAt) > 8000)
    const stoppedMs = Date.now()
    await before.metrics.stop()
    const { metrics } = await begin({ home, files: {}, port })
    await until('it is pending again', () => alertOf(metrics, 'hello'), 20_000)
    const awayMs = Date.now() - stoppedMs
    const firing = async () => {
      const alert = await alertOf(metrics, 'hello')
      return alert?.state === 'firing' && alert
    }
    const fired = await until('it fires', firing, 30_000)
    // A Prometheus gives back the time in which it was away, and looks twice before it remembers.
    expect(Date.parse(fired.activeAt) - Date.parse(activeAt)).toBeLessThan(awayMs + 4500)
  })

  story('a reload takes new files, refuses bad ones and then goes on as before', async () => {
    const { metrics } = await begin({ files: { 'rules/quick.yml': quick(3) } })
    const { home, server, ask } = metrics
    const jobs = async (): Promise<string[]> =>
      (await ask('targets')).data.activeTargets.map(({ scrapePool }: { scrapePool: string }) => scrapePool)
    const groups = async (): Promise<string[]> =>
      (await ask('rules')).data.groups.map((group: { name: string }) => group.name)
    writeFiles(home, { 'scrape/own.yml': own })
    await server.reload()
    await until('the job is there', async () => (await jobs()).includes('nobody'))
    expect(await groups()).toEqual(['quarterdeck', 'quarterdeck-targets', 'quick'])
    writeFiles(home, { 'rules/quick.yml': 'groups: [{name: quick, rulez: []}]' })
    await expect(server.reload()).rejects.toThrow(ReloadRefused)
    writeFiles(home, { 'rules/quick.yml': quick(5), 'scrape/own.yml': own.replace('nobody', 'hello') })
    await expect(server.reload()).rejects.toThrow(/own\.yml:2: there are two jobs "hello"/)
    expect(await jobs()).toContain('nobody')
    expect(await groups()).toContain('quick')
    writeFiles(home, { 'scrape/own.yml': 'scrape_configs: []' })
    await server.reload()
    await until('the job is gone', async () => !(await jobs()).includes('nobody'))
    const rules = (await ask('rules')).data.groups.at(-1)
    expect(rules).toMatchObject({ file: join(home, 'rules/quick.yml'), rules: [{ duration: 5 }] })
  })
}
