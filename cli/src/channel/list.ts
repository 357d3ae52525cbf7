/** `qd channel list`: where messages go, and whether they arrive. */
import type { Channel } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'
import { channelsOf } from './find.ts'

export const listCommand = (): Command =>
  apiCommand('list', 'list the channels, and whether messages reach them').alias('ls').action(list)

async function list(options: ApiOptions): Promise<void> {
  const items = await channelsOf(api(options))
  if (options.json) printJson({ items })
  else if (items.length === 0)
    process.stdout.write('There are no channels yet: nobody hears of alerts. `qd channel add` adds one.\n')
  else process.stdout.write(table(columns(), items.map(row)))
}

function columns(): Column[] {
  const { green, red } = colours(process.stdout)
  const paint = (padded: string, text: string) => (text === 'well' ? green(padded) : red(padded))
  return [
    { title: 'CHANNEL' },
    { title: 'KIND' },
    { title: 'PLACE', flexible: true },
    { title: 'HEARS OF', flexible: true },
    { title: 'LAST SENT' },
    { title: 'WAITING' },
    { title: 'STATE', flexible: true, paint },
  ]
}

const row = ({ name, kind, place, routes, last_sent_at, waiting, problem }: Channel): string[] => [
  name,
  kind,
  place,
  [...routes.groups, ...routes.projects, ...routes.severities].join(', ') || 'everything',
  last_sent_at ? moment(last_sent_at) : 'never',
  String(waiting),
  problem ?? 'well',
]
