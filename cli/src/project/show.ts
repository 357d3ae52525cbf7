/** `qd project show`: its settings, what is in place, how its last run went. */
import { operations, type Project, type Run, repositorySettingsFile, type Timer } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { shortSha } from '../run/ending.ts'
import { aligned, details } from '../table.ts'
import { moment } from '../when.ts'
import { joinWords } from '../words.ts'
import { placement } from './added.ts'
import { unitLines } from './units-text.ts'

export const showCommand = (): Command =>
  apiCommand('show', 'show a project: settings, what is in place, the last run')
    .argument('<name>')
    .action(show)

async function show(name: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const project = await client.call(operations.readProject, { params: { name } })
  if (options.json) return printJson(project)
  const { items } = await client.call(operations.listProjectRuns, { params: { name }, query: { limit: 1 } })
  process.stdout.write(described(project, items[0]))
}

function described(project: Project, last: Run | undefined): string {
  const { bold, yellow } = colours(process.stdout)
  const why = project.held_reason ? ` (${plain(project.held_reason)})` : ''
  const held = project.held ? yellow(`  held${why}: pushes wait until \`qd resume ${project.name}\``) : ''
  const { before_restart: before, limits } = project
  const facts = details([
    ['Description', project.description && plain(project.description)],
    ['Address', project.url && plain(project.url)],
    ['Repository', `${plain(project.repository)}, branch ${plain(project.branch)}`],
    ['Earlier names', project.aliases.length > 0 ? project.aliases.map(plain).join(', ') : null],
    ['Fetched from', plain(project.git_url)],
    ['Runs on', placement(project)],
    ['In place', unitLines(project)],
    ['Last run', last ? lastRun(last) : 'none yet'],
    ['Runtime', `${project.runtime}${project.interpreter ? ` (${plain(project.interpreter)})` : ''}`],
    ['Processes', aligned(project.processes.map(processRow))],
    ['Adopted', project.adopted && adoptedLines(project.adopted)],
    ['Before restart', before && plain(joinWords(before))],
    ['In repository', saidLines(project)],
    ['Kept paths', project.linked_paths.length > 0 ? project.linked_paths.map(plain).join(', ') : null],
    ['Deployed for', project.paths.map(plain).join(', ')],
    ['Time limits', limitsText(limits, project.health.timeout_s)],
    ['Metrics', plain(project.metrics_path)],
    ['Depends on', project.depends_on.length > 0 ? project.depends_on.join(', ') : null],
    ['Runbook', project.runbook && plain(project.runbook)],
  ])
  return `${bold(project.name)}${held}\n${facts}`
}

const lastRun = ({ id, kind, status, sha, ref, created_at }: Run): string =>
  `${shortId(id)}, ${kind} of ${shortSha(sha ?? ref)} ${status}, accepted ${moment(created_at)}`

const processRow = ({ name, start, port, timer, socket }: Project['processes'][number]): string[] => [
  plain(name),
  plain(joinWords(start)),
  port === null ? (timer ? timerText(timer) : '') : `port ${port}${socket ? ', by socket' : ''}`,
]

const adoptedLines = ({ work, environment, units }: NonNullable<Project['adopted']>): string[] => [
  `units ${Object.values(units).map(plain).join(', ')}`,
  `working copy ${plain(work)}`,
  `environment ${plain(environment)}`,
]

/** What goes before the settings above, as long as the release in place says it. */
function saidLines({ instances }: Project): string[] {
  const said = instances.find(({ in_repository }) => in_repository)?.in_repository
  if (!said) return []
  const { start, processes, interpreter, before_restart: before, linked_paths: paths, health } = said
  const lines = [
    ...(start ? [['start', joinWords(start)]] : []),
    ...(processes ?? []).map(({ name, start, timer }) => [
      name,
      `${joinWords(start)}${timer ? `, ${timerText(timer)}` : ''}`,
    ]),
    ...(interpreter ? [['interpreter', interpreter]] : []),
    ...(before === undefined ? [] : [['before restart', before ? joinWords(before) : 'nothing']]),
    ...(paths ? [['kept paths', paths.join(', ') || 'none']] : []),
    ...(health ? [['verify', `${health.timeout_s} s`]] : []),
  ]
  return [
    `${repositorySettingsFile} goes before the settings here:`,
    ...aligned(lines.map(line => line.map(plain))),
  ]
}

const timerText = (timer: Timer): string =>
  'at' in timer ? `daily at ${timer.at} UTC` : `every ${timer.every_s} s`

const limitsText = (limits: Project['limits'], verify: number): string =>
  [
    ...Object.entries(limits).map(([name, value]) => `${name.replace(/_s$/, '')} ${value} s`),
    `verify ${verify} s`,
  ].join(', ')
