/** `qd watch list`: what is watched, and where. */
import { operations, type ServiceEntry } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { table } from '../table.ts'

type ListOptions = ApiOptions & { all?: true }

export const listCommand = (): Command =>
  apiCommand('list', 'list the watched services')
    .alias('ls')
    .option('--all', 'the services of projects and of the environment itself, too')
    .action(list)

async function list(options: ListOptions): Promise<void> {
  const client = api(options)
  const kind = options.all ? undefined : ('watched' as const)
  const items = await itemsOf(query => client.call(operations.listServices, { query: { ...query, kind } }))
  if (options.json) printJson({ items })
  else if (items.length === 0)
    process.stdout.write('Nothing is watched only: `qd watch add URL` adds a service.\n')
  else process.stdout.write(table(columns, items.map(row)))
}

const columns = [
  { title: 'SERVICE' },
  { title: 'KIND' },
  { title: 'NAME', flexible: true },
  { title: 'GROUP', flexible: true },
  { title: 'EVERY' },
  { title: 'ADDRESS' },
] as const

const row = ({ id, kind, name, group, url, watched }: ServiceEntry): string[] => [
  id,
  kind,
  name,
  group,
  watched ? `${watched.interval_s} s` : '–',
  url ?? '–',
]
