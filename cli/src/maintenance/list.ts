/** `qd maintenance list`: what is announced, and was. */
import { type MaintenanceEntry, operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { table } from '../table.ts'
import { moment } from '../when.ts'

const most = 100

export const listCommand = (): Command =>
  apiCommand('list', 'list maintenances')
    .alias('ls')
    .option('--all', `those that are over, too: of the last ${most}`)
    .action(list)

async function list(options: ApiOptions & { all?: true }): Promise<void> {
  const client = api(options)
  const last = await itemsOf(query => client.call(operations.listMaintenances, { query }), most)
  const items = options.all ? last : last.filter(({ status }) => status !== 'completed')
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('No maintenance is announced.\n')
  else process.stdout.write(table(columns, items.map(row)))
}

const columns = [
  { title: 'MAINTENANCE' },
  { title: 'STATUS' },
  { title: 'FROM' },
  { title: 'TO' },
  { title: 'REPEATS' },
  { title: 'SERVICES', flexible: true },
  { title: 'NAME', flexible: true },
] as const

const row = ({ id, status, starts_at, ends_at, repeat, service_ids, name }: MaintenanceEntry): string[] => [
  id,
  status.replaceAll('_', ' '),
  moment(starts_at),
  moment(ends_at),
  repeat ?? '–',
  service_ids.join(', ') || '–',
  name,
]
