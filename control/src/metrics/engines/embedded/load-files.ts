/** Reads the files that Prometheus would, all or nothing; what is wrong is told with file and line. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import {
  type RuleFile,
  ruleFile,
  type ScrapeConfig,
  type ScrapeJob,
  scrapeConfig,
} from '@quarterdeck/contract'
import { configFile, shippedRulesFile } from '../../generated-files.ts'
import { checkedYaml, FilesRefused, readYamlFile, type YamlFile } from '../../yaml-file.ts'
import { durationMs } from './promql/literal.ts'
import { Rules, RulesRefused } from './rules.ts'

export interface LoadedFiles {
  readonly config: ScrapeConfig
  /** By job: what is sent along. */
  readonly headers: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly rules: Rules
  /** The users' rules, as they were read. */
  readonly ownRules: RuleFiles
}

/** By the path of the file. */
export type RuleFiles = Readonly<Record<string, RuleFile>>

/** Throws `FilesRefused`. `ownRules`: these instead of what the users' files say now. */
export function loadFiles(home: string, ownRules?: RuleFiles): LoadedFiles {
  const path = configFile(home)
  const problems: string[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      problems.push(...error.problems)
      return undefined
    }
  }
  const config = attempt(() => checkedYaml(readYamlFile(path), scrapeConfig))
  if (!config) throw new FilesRefused(problems)
  const headers = new Map(
    config.scrape_configs.map(job => [job.job_name, attempt(() => headersOf(job, home)) ?? {}]),
  )
  const shipped = shippedRulesFile(home)
  const files = ownRules ? [shipped] : rulePaths(path, config)
  const intervalMs = durationMs(config.global.evaluation_interval)
  const loaded = attempt(() => readRules(files, intervalMs, ownRules))
  if (problems.length > 0 || !loaded) throw new FilesRefused(problems)
  const { [shipped]: _, ...own } = loaded.parsed
  return { config, headers, rules: loaded.rules, ownRules: own }
}

/** Rule files by themselves: also for whoever only wants them checked. */
export const loadRules = (paths: readonly string[], intervalMs: number): Rules =>
  readRules(paths, intervalMs).rules

/** `known`: those that were read and found good before. */
function readRules(
  paths: readonly string[],
  intervalMs: number,
  known: RuleFiles = {},
): { rules: Rules; parsed: RuleFiles } {
  const read: YamlFile[] = []
  const parsed: Record<string, RuleFile> = { ...known }
  const problems: string[] = []
  for (const path of paths) {
    try {
      const file = readYamlFile(path)
      parsed[path] = checkedYaml(file, ruleFile)
      read.push(file)
    } catch (error) {
      if (!(error instanceof FilesRefused)) throw error
      problems.push(...error.problems)
    }
  }
  const placeOf = (path: string, group: number, rule: number) =>
    read.find(file => file.path === path)?.placeOf(['groups', group, 'rules', rule]) ?? path
  try {
    const inOrder = Object.fromEntries(Object.entries(parsed).sort(([a], [b]) => (a < b ? -1 : 1)))
    const rules = new Rules(inOrder, intervalMs, placeOf)
    if (problems.length === 0) return { rules, parsed: inOrder }
  } catch (error) {
    if (!(error instanceof RulesRefused)) throw error
    problems.push(...error.problems)
  }
  throw new FilesRefused(problems)
}

function rulePaths(path: string, { rule_files }: ScrapeConfig): string[] {
  const directory = dirname(resolve(path))
  const found = rule_files.flatMap(pattern =>
    globSync(pattern, { cwd: directory }).map(name => (isAbsolute(name) ? name : join(directory, name))),
  )
  return [...new Set(found)].sort()
}

function headersOf({ job_name, authorization }: ScrapeJob, home: string): Record<string, string> {
  if (!authorization) return {}
  const { type, credentials, credentials_file } = authorization
  try {
    const secret =
      credentials ?? (credentials_file ? readFileSync(resolve(home, credentials_file), 'utf8').trim() : '')
    if (/^[\x21-\x7e]+$/.test(secret)) return { authorization: `${type} ${secret}` }
    throw new FilesRefused([
      `${configFile(home)}: job ${job_name}: its authorization has no credentials that can be sent`,
    ])
  } catch (error) {
    if (error instanceof FilesRefused) throw error
    throw new FilesRefused([
      `${credentials_file}: cannot be read (${(error as NodeJS.ErrnoException).code}), for job ${job_name}`,
    ])
  }
}
