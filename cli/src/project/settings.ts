/** The settings of a project as options of the command line. */
import type { ProjectCreate, Timer } from '@quarterdeck/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { count, seconds } from '../numbers.ts'
import { splitWords } from '../words.ts'

type Limits = ProjectCreate['limits']

/** false: the option that begins with `--no-`. */
export interface SettingOptions {
  repository?: string
  git?: string
  branch?: string
  group?: string
  machine?: string[] | false
  runtime?: ProjectCreate['runtime']
  interpreter?: string | false
  port?: number
  socket?: boolean
  process?: Record<string, string[]>
  timer?: Record<string, Timer>
  beforeRestart?: string[] | false
  link?: string[] | false
  healthTimeout?: number
  limit?: Partial<Limits>
  metricsPath?: string
  path?: string[]
  description?: string | false
  dependsOn?: string[] | false
  runbook?: string | false
}

/** A new project has defaults; of one that is there, what is not given stays. */
export function withSettings(command: Command, isNew: boolean): Command {
  const or = (text: string) => (isNew ? ` (default: ${text})` : '')
  return command
    .option('--repository <owner/name>', 'as the forge names it; callers of the webhook send it')
    .option('--git <url>', 'where it is fetched from')
    .option('--branch <name>', `what is deployed${or('main')}`)
    .option('--group <name>', `of machines that it runs on${or('production')}`)
    .option('--machine <name>', 'only this one of the group; repeatable', collect)
    .addOption(
      new Option('--runtime <name>', `of its environment${or('python')}`).choices(['python', 'node']),
    )
    .option('--interpreter <program>', 'what its environment is made with, such as python3.11')
    .option('--port <number>', `of its web process${or('a free one')}`, count(1, 65_535))
    .option('--socket', 'its server takes a socket that systemd passes: a restart refuses no connection')
    .option('--no-socket', 'it opens its port itself')
    .option(
      '--process <name=command>',
      "another process: 'mailer=python -m app.mailer'; repeatable",
      processes,
    )
    .option('--timer <name=when>', 'when a process runs: every:SECONDS or at:HH:MM (UTC); repeatable', timers)
    .option('--before-restart <command>', "once per run before the restart: 'python -m app.migrate'", words)
    .option('--link <path>', 'kept between releases, such as uploads/ or .env; repeatable', collect)
    .option('--health-timeout <seconds>', `how long a new build may take to be healthy${or('60')}`, seconds)
    .option('--limit <step=seconds>', 'of fetch, install, before_restart or restart; repeatable', limits)
    .option('--metrics-path <path>', `where its metrics are${or('/metrics')}`)
    .option('--path <path>', 'what a push must touch to be deployed; repeatable', collect)
    .option('--description <text>', 'what it is, for everybody')
    .option('--depends-on <id>', 'a service without which it cannot work; repeatable', collect)
    .option('--runbook <url>', 'address of the runbook, or its page in the handbook')
}

/** Everything but processes and limits, which depend on what is there; only what was given. */
export function plainSettings(options: SettingOptions) {
  const { healthTimeout } = options
  const settings = {
    repository: options.repository,
    git_url: options.git,
    branch: options.branch,
    group: options.group,
    machines: options.machine === false ? [] : options.machine,
    runtime: options.runtime,
    interpreter: options.interpreter === false ? null : options.interpreter,
    before_restart: options.beforeRestart === false ? null : options.beforeRestart,
    linked_paths: options.link === false ? [] : options.link,
    health: healthTimeout === undefined ? undefined : { timeout_s: healthTimeout },
    metrics_path: options.metricsPath,
    paths: options.path,
    description: options.description === false ? null : options.description,
    depends_on: options.dependsOn === false ? [] : options.dependsOn,
    runbook: options.runbook === false ? null : options.runbook,
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<
    typeof settings
  >
}

/** A list that was cleared by `--no-…` begins anew. */
const collect = (text: string, before: string[] | false | undefined): string[] => [...(before || []), text]

function words(text: string): string[] {
  const list = splitWords(text)
  if (list && list.length > 0) return list
  throw new InvalidArgumentError(list ? 'It must name a program.' : 'A quote in it is not closed.')
}

function processes(text: string, before: Record<string, string[]> = {}): Record<string, string[]> {
  const [name, command] = pair(text, 'NAME=PROGRAM ARGUMENTS')
  return { ...before, [name]: words(command) }
}

function timers(text: string, before: Record<string, Timer> = {}): Record<string, Timer> {
  const [name, when] = pair(text, 'NAME=every:600 or NAME=at:03:30')
  const [, every, at] = /^(?:every:(\d{1,6})|at:(\d\d:\d\d))$/.exec(when) ?? []
  if (every) return { ...before, [name]: { every_s: Number(every) } }
  if (at) return { ...before, [name]: { at } }
  throw new InvalidArgumentError('It must be such as NAME=every:600 or NAME=at:03:30.')
}

const limited = ['fetch', 'install', 'before_restart', 'restart'] as const

function limits(text: string, before: Partial<Limits> = {}): Partial<Limits> {
  const [name, value] = pair(text, 'STEP=SECONDS')
  const step = limited.find(known => known === name.replace('-', '_'))
  if (step) return { ...before, [`${step}_s`]: seconds(value) }
  throw new InvalidArgumentError(
    `The steps are ${limited.join(', ')}; the limit of verify is --health-timeout.`,
  )
}

function pair(text: string, form: string): [string, string] {
  const [, name, value] = /^([\w-]+)=(.+)$/s.exec(text) ?? []
  if (name && value) return [name, value]
  throw new InvalidArgumentError(`It must be of the form ${form}.`)
}
