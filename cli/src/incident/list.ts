/** `qd incident list`: what is and was wrong. */
import { type IncidentEntry, operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { table } from '../table.ts'
import { moment } from '../when.ts'

const most = 100

export const listCommand = (): Command =>
  apiCommand('list', 'list incidents, drafts among them')
    .alias('ls')
    .option('--all', `those that are resolved, too: the last ${most}`)
    .action(list)

async function list(options: ApiOptions & { all?: true }): Promise<void> {
  const client = api(options)
  const open = options.all ? undefined : 'true'
  const items = await itemsOf(
    query => client.call(operations.listIncidents, { query: { ...query, open } }),
    most,
  )
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('No incident is open.\n')
  else process.stdout.write(table(columns, items.map(row)))
}

const columns = [
  { title: 'INCIDENT' },
  { title: 'STATUS' },
  { title: 'IMPACT' },
  { title: 'BEGAN' },
  { title: 'SERVICES', flexible: true },
  { title: 'NAME', flexible: true },
] as const

const row = ({ id, status, draft, impact, started_at, service_ids, name }: IncidentEntry): string[] => [
  id,
  draft ? 'draft' : status,
  impact,
  moment(started_at),
  service_ids.join(', ') || '–',
  name,
]
