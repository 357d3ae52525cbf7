/** `qd var list`: the variables of a project; of secrets only their names. */
import { operations, type VariableList } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'
import { machinesWithout, nextSteps } from './next-steps.ts'

const hidden = '••••'

export const listCommand = (): Command =>
  apiCommand('list', 'list the variables of a project; secrets are not shown')
    .alias('ls')
    .argument('<project>')
    .action(list)

async function list(name: string, options: ApiOptions): Promise<void> {
  const variables = await api(options).call(operations.listVariables, { params: { name } })
  if (options.json) return printJson(variables)
  const { items } = variables
  if (items.length === 0)
    process.stdout.write(`${name} has no variables: \`qd var set ${name} NAME=VALUE\` sets one.\n`)
  else process.stdout.write(table(columns(), items.map(row)))
  const { yellow } = colours(process.stdout)
  if (machinesWithout(variables).length > 0)
    process.stdout.write(`${yellow('!')} ${nextSteps(name, variables)}\n`)
}

function columns(): Column[] {
  const { dim } = colours(process.stdout)
  const paint = (padded: string, text: string) => (text === hidden ? dim(padded) : padded)
  return [
    { title: 'NAME', flexible: true },
    { title: 'VALUE', flexible: true, paint },
    { title: 'CHANGED' },
    { title: 'BY', flexible: true },
  ]
}

const row = ({ name, value, updated_at, updated_by }: VariableList['items'][number]): string[] => [
  name,
  value === null ? hidden : value.replaceAll('\n', '↵'),
  moment(updated_at),
  updated_by,
]
