/** `qd run`: all that is known of a run. */
import type { Run, Step } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from './api.ts'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { shortId } from './ids.ts'
import { type ApiOptions, apiCommand } from './options.ts'
import { plain } from './plain.ts'
import { hasEnded } from './run/ending.ts'
import { findRun } from './run/find.ts'
import { tellEnding } from './run/see-through.ts'
import { aligned, details } from './table.ts'
import { between, moment } from './when.ts'

export const runCommand = (): Command =>
  apiCommand('run', 'show a run: its steps, what went wrong, what runs again')
    .argument('<id>', 'whole or shortened')
    .action(show)

async function show(text: string, options: ApiOptions): Promise<void> {
  const run = await findRun(api(options), text)
  if (options.json) return printJson(run)
  process.stdout.write(described(run))
  if (hasEnded(run)) tellEnding(run)
  else process.stdout.write(`Follow it with \`qd logs -f ${shortId(run.id)}\`.\n`)
}

function described(run: Run): string {
  const { bold } = colours(process.stdout)
  const { project, kind, status, trigger, ref, sha, superseded_by } = run
  const from = trigger.from ? ` from ${plain(trigger.from)}` : ''
  const facts = details([
    ['Id', run.id],
    ['Status', status],
    ['Asked for', ref ?? 'the newest commit of the branch'],
    ['Commit', sha],
    ['By', `${plain(trigger.by)}${from}`],
    ['Accepted', moment(run.created_at)],
    ['Took', between(run.started_at, run.ended_at) ?? null],
    ['Steps', aligned(run.steps.map(stepRow))],
    ['Error', run.error && `${plain(run.error.message)} (${run.error.code})`],
    ['Restored', run.restored_sha],
    ['Superseded by', superseded_by],
    ['Page', plain(run.url)],
  ])
  return `${bold(`${project}: ${kind} ${shortId(run.id)}`)}\n${facts}`
}

const marks: Record<Step['status'], string> = {
  pending: '·',
  running: '→',
  succeeded: '✓',
  skipped: '–',
  failed: '✗',
}

const stepRow = ({ name, machine, status, started_at, ended_at, detail }: Step): string[] => [
  `${marks[status]} ${name}`,
  plain(machine),
  status === 'skipped' ? '' : (between(started_at, ended_at) ?? ''),
  plain(detail ?? status),
]
