/** `qd runs`: the newest runs, of all projects or of one. */
import { operations, type Run } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from './api.ts'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { shortId } from './ids.ts'
import { count } from './numbers.ts'
import { type ApiOptions, apiCommand } from './options.ts'
import { itemsOf } from './pages.ts'
import { shortSha } from './run/ending.ts'
import { type Column, table } from './table.ts'
import { between, moment } from './when.ts'

export const runsCommand = (): Command =>
  apiCommand('runs', 'list the newest runs, of all projects or of one')
    .argument('[project]')
    .option('--limit <number>', 'how many', count(1, 10_000), 20)
    .action(runs)

async function runs(name: string | undefined, options: ApiOptions & { limit: number }): Promise<void> {
  const items = await newest(api(options), name, options.limit)
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write(`${name ? `${name} has` : 'There are'} no runs yet.\n`)
  else process.stdout.write(table(columns(), items.map(row)))
}

const newest = (client: Api, name: string | undefined, limit: number): Promise<Run[]> =>
  itemsOf(
    query =>
      name
        ? client.call(operations.listProjectRuns, { params: { name }, query })
        : client.call(operations.listRuns, { query }),
    limit,
  )

function columns(): Column[] {
  const { green, red, yellow, dim } = colours(process.stdout)
  const paints: Record<string, (text: string) => string> = {
    succeeded: green,
    failed: red,
    cancelled: red,
    running: yellow,
    queued: yellow,
    superseded: dim,
  }
  return [
    { title: 'RUN' },
    { title: 'PROJECT', flexible: true },
    { title: 'KIND' },
    { title: 'STATUS', paint: (padded, text) => paints[text]?.(padded) ?? padded },
    { title: 'COMMIT' },
    { title: 'BY', flexible: true },
    { title: 'ACCEPTED' },
    { title: 'TOOK' },
  ]
}

const row = ({ id, project, kind, status, sha, ref, trigger, created_at, started_at, ended_at }: Run) => [
  shortId(id),
  project,
  kind,
  status,
  shortSha(sha ?? ref),
  trigger.by,
  moment(created_at),
  between(started_at, ended_at) ?? '–',
]
