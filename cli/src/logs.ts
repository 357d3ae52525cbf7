/** `qd logs`: of a run, what its steps said; of a project, what its units themselves have written. */
import { operations, type Run, type RunLogLine } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from './api.ts'
import { textOf } from './client.ts'
import { printJson } from './fail.ts'
import { count } from './numbers.ts'
import { type ApiOptions, apiCommand } from './options.ts'
import { plain } from './plain.ts'
import { findRunUnlessProject } from './run/find.ts'
import { aside, Progress, type View } from './run/progress.ts'
import { tellEnding, watch } from './run/see-through.ts'
import { screenOf } from './screen.ts'
import { followUnit } from './unit-log.ts'

const limitMs = 30_000

export interface LogOptions extends ApiOptions {
  follow?: true
  process: string
  machine?: string
  lines: number
}

export const logsCommand = (): Command =>
  apiCommand('logs', 'show the log of a run, or of the units of a project')
    .argument('<run|project>', 'the id of a run, or a project')
    .option('-f, --follow', 'go on as more is written')
    .option('--process <name>', 'of a project: which of its processes', 'web')
    .option('--machine <name>', 'of a project: on which machine (default: the first that has it)')
    .option('--lines <number>', 'the last so many', count(0, 10_000), 200)
    .action(logs)

async function logs(text: string, options: LogOptions): Promise<void> {
  const client = api(options)
  const run = await findRunUnlessProject(client, text)
  if (!run) await unitLog(client, text, options)
  else if (options.follow) await followLog(client, run, options)
  else await runLog(client, run, options)
}

async function runLog(client: Api, { id }: Run, { json, lines: most }: LogOptions): Promise<void> {
  const settings = { accept: 'text/plain', signal: AbortSignal.timeout(limitMs) }
  const response = await client.open(operations.followRunLog, { params: { id } }, settings)
  const text = await textOf(response)
  const all = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const lines = most === 0 ? [] : all.slice(-most)
  if (json) printJson({ run: id, lines })
  else for (const line of lines) process.stdout.write(`${plain(line)}\n`)
}

async function followLog(client: Api, run: Run, { json }: LogOptions): Promise<void> {
  const ended = await watch(client, run, json ? jsonLines : new Progress(screenOf(process.stdout)))
  if (ended && !json) tellEnding(ended)
}

async function unitLog(client: Api, name: string, options: LogOptions): Promise<void> {
  const { process: unit, machine, lines } = options
  const query = { process: unit, machine, lines }
  const first = await client.call(operations.readUnitLog, { params: { name }, query })
  if (options.json && !options.follow) return printJson({ project: name, process: unit, lines: first.lines })
  tell(first.lines, options)
  if (!options.follow) return
  for await (const lines of followUnit(client, { name, process: unit, machine, after: first.next })) {
    tell(lines, options)
  }
}

function tell(lines: readonly string[], { json }: LogOptions): void {
  for (const text of lines) {
    if (json) printJson({ text })
    else process.stdout.write(`${plain(text)}\n`)
  }
}

const jsonLines: View = {
  run() {},
  log: (line: RunLogLine) => printJson(line),
  note: aside,
  aside,
  stop() {},
}
