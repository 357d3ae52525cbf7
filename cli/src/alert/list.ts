/** `qd alert list`: what is wrong, and who sees to it. */
import type { Alert } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'
import { alertsOf } from './find.ts'

export const listCommand = (): Command =>
  apiCommand('list', 'list the alerts that are open')
    .alias('ls')
    .option('--all', 'those that have ended, too')
    .action(list)

async function list(options: ApiOptions & { all?: true }): Promise<void> {
  const items = await alertsOf(api(options), options.all ? 'all' : 'open')
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('There are no alerts.\n')
  else process.stdout.write(table(columns(), items.map(row)))
}

function columns(): Column[] {
  const { red, yellow, dim } = colours(process.stdout)
  const paint = (padded: string, text: string) =>
    text === 'critical' ? red(padded) : text === 'warning' ? yellow(padded) : dim(padded)
  return [
    { title: 'ALERT' },
    { title: 'SEVERITY', paint },
    { title: 'WHAT', flexible: true },
    { title: 'SINCE' },
    { title: 'STATE' },
  ]
}

const row = (alert: Alert): string[] => [
  shortId(alert.id),
  alert.severity,
  whatOf(alert),
  moment(alert.starts_at),
  stateOf(alert),
]

export const whatOf = ({ annotations, labels }: Alert): string =>
  annotations.summary ?? [labels.alertname, labels.job].filter(Boolean).join(' ')

export function stateOf({ state, acknowledged, silenced_by }: Alert): string {
  if (state === 'resolved') return 'ended'
  const said = state === 'source_lost' ? 'source lost' : state
  return acknowledged ? 'acknowledged' : silenced_by.length > 0 ? 'silenced' : said
}
