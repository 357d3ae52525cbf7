/**
 * The files that either engine reads: `prometheus.yml` and `rules/quarterdeck.yml` in the home are made here, from the services;
 * the users' own are `rules/*.yml` and `scrape/*.yml` beside them.
 */
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RuleFile } from '@quarterdeck/contract'
import { stringify } from 'yaml'
import { z } from 'zod'
import type { MetricsEngine, ScrapeJobInput } from './engine.ts'
import type { ScrapePlace } from './scrape-places.ts'
import { checkedYaml, FilesRefused, readYamlFile } from './yaml-file.ts'

export const configFile = (home: string): string => join(home, 'prometheus.yml')
export const shippedRulesFile = (home: string): string => join(home, 'rules', 'quarterdeck.yml')
const ownJobFiles = (home: string): string[] =>
  globSync('scrape/*.yml', { cwd: home })
    .sort()
    .map(name => join(home, name))

const header =
  '# Made by Quarterdeck from its services: changes here are lost.\n# Your own scrape jobs belong in scrape/*.yml (scrape_configs: […]), your own rules in rules/*.yml;\n# POST /-/reload reads them.\n'

/** The users' jobs, as the engine can do them. Throws `FilesRefused`, also for two of one name. */
export function readOwnJobs(
  home: string,
  job: MetricsEngine['job'],
  taken: ReadonlySet<string>,
): ScrapeJobInput[] {
  const schema = z.strictObject({ scrape_configs: z.array(job) })
  const places = new Map<string, string>()
  const problems: string[] = []
  const jobs = ownJobFiles(home).flatMap(path => {
    try {
      const file = readYamlFile(path)
      checkedYaml(file, schema)
      // As it is written: an engine has defaults of its own.
      const { scrape_configs } = file.value as { scrape_configs: ScrapeJobInput[] }
      scrape_configs.forEach(({ job_name }, nth) => {
        const place = file.placeOf(['scrape_configs', nth])
        const other = taken.has(job_name) ? 'a service has that name' : places.get(job_name)
        places.set(job_name, place)
        if (other === undefined) return
        const name = JSON.stringify(job_name)
        problems.push(`${place}: there are two jobs ${name} (${other}); give this one another job_name`)
      })
      return scrape_configs
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      problems.push(...error.problems)
      return []
    }
  })
  if (problems.length > 0) throw new FilesRefused(problems)
  return jobs
}

export interface Generated {
  readonly home: string
  readonly places: readonly ScrapePlace[]
  /** Services that run nowhere yet. */
  readonly idle: readonly string[]
  readonly ownJobs: readonly ScrapeJobInput[]
  readonly rules: RuleFile
  readonly intervalMs: number
  readonly timeoutMs: number
  /** host:port at which this machine reaches control, which takes alerts. */
  readonly control: string
}

/** Writes what has changed, each file whole or not at all. True: something has. */
export function writeGenerated(generated: Generated): boolean {
  const { home, rules } = generated
  const changed = [
    writeWhole(configFile(home), header + stringify(configOf(generated))),
    writeWhole(shippedRulesFile(home), header + stringify(rules)),
  ]
  return changed.includes(true)
}

function configOf({ places, idle, ownJobs, control, ...usual }: Generated): object {
  const jobs = [...Map.groupBy(places, ({ job }) => job).values()]
  return {
    global: {
      scrape_interval: durationText(usual.intervalMs),
      scrape_timeout: durationText(Math.min(usual.timeoutMs, usual.intervalMs)),
      evaluation_interval: '15s',
    },
    rule_files: ['rules/*.yml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [control] }] }] },
    scrape_configs: [
      ...jobs.map(of => jobOf(of, usual)),
      ...idle.map(job_name => ({ job_name, static_configs: [] })),
      ...ownJobs,
    ],
  }
}

function jobOf(places: readonly ScrapePlace[], usual: Pick<Generated, 'intervalMs' | 'timeoutMs'>): object {
  const { job, group, path, scheme, intervalMs = usual.intervalMs, timeoutMs = usual.timeoutMs } = places[0]!
  const isUsual = intervalMs === usual.intervalMs && timeoutMs === usual.timeoutMs
  return {
    job_name: job,
    metrics_path: path,
    scheme,
    ...(!isUsual && {
      scrape_interval: durationText(intervalMs),
      scrape_timeout: durationText(Math.min(timeoutMs, intervalMs)),
    }),
    static_configs: [{ targets: [...new Set(places.map(({ address }) => address))], labels: { group } }],
  }
}

const durationText = (ms: number): string => {
  const whole = Math.max(1, Math.round(ms))
  return whole % 1000 === 0 ? `${whole / 1000}s` : `${whole}ms`
}

function writeWhole(path: string, text: string): boolean {
  if (textOf(path) === text) return false
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.new`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, path)
  return true
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
