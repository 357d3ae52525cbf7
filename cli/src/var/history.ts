/** `qd var history`: who changed which variables when, newest first; never what they were. */
import { operations, type VariableRevision } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import { count } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { type Column, table } from '../table.ts'
import { moment } from '../when.ts'

export const historyCommand = (): Command =>
  apiCommand('history', 'show who changed which variables when, newest first')
    .argument('<project>')
    .option('--limit <number>', 'how many', count(1, 10_000), 20)
    .action(history)

async function history(name: string, options: ApiOptions & { limit: number }): Promise<void> {
  const client = api(options)
  const items = await itemsOf(
    query => client.call(operations.listVariableRevisions, { params: { name }, query }),
    options.limit,
  )
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write(`No variable of ${name} was ever set.\n`)
  else process.stdout.write(table(columns, items.map(row)))
}

const columns: Column[] = [
  { title: 'REVISION' },
  { title: 'WHEN' },
  { title: 'BY', flexible: true },
  { title: 'WHAT', flexible: true },
]

const row = (revision: VariableRevision): string[] => [
  String(revision.revision),
  moment(revision.at),
  revision.by,
  [
    ...(revision.run_id === null ? [] : [`rollback ${shortId(revision.run_id)}`]),
    ...(revision.restored_from === null ? [] : [`as in ${revision.restored_from}`]),
    ...(revision.set.length > 0 ? [`set ${revision.set.join(', ')}`] : []),
    ...(revision.unset.length > 0 ? [`unset ${revision.unset.join(', ')}`] : []),
  ].join('; '),
]
