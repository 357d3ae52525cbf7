/** `qd token list`: everything but the tokens themselves. */
import type { Token } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'
import { tokensOf } from './find.ts'

export const listCommand = (): Command =>
  apiCommand('list', 'list the tokens of a project, or those of operators')
    .alias('ls')
    .argument('[project]')
    .action(list)

async function list(name: string | undefined, options: ApiOptions): Promise<void> {
  const items = await tokensOf(api(options), name)
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write(none(name))
  else process.stdout.write(table(columns(), items.map(row)))
}

const none = (name: string | undefined) =>
  name
    ? `${name} has no tokens yet: \`qd token create ${name} --label ci\` makes one.\n`
    : 'There are no operators’ tokens.\n'

function columns(): Column[] {
  const { green, dim } = colours(process.stdout)
  return [
    { title: 'TOKEN' },
    { title: 'LABEL', flexible: true },
    { title: 'MADE' },
    { title: 'LAST USED' },
    { title: 'STATE', paint: (padded, text) => (text.startsWith('good') ? green(padded) : dim(padded)) },
  ]
}

const row = (token: Token): string[] => [
  shortId(token.id),
  token.label,
  moment(token.created_at),
  token.last_used_at ? moment(token.last_used_at) : 'never',
  state(token),
]

function state({ revoked_at, expires_at }: Token): string {
  if (revoked_at) return `revoked ${moment(revoked_at)}`
  if (!expires_at) return 'good'
  const over = Date.parse(expires_at) <= Date.now()
  return `${over ? 'expired' : 'good until'} ${expires_at.slice(0, over ? 10 : 16)}${over ? '' : 'Z'}`
}
