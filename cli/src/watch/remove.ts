/** `qd watch remove`: watches a service no more. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

export const removeCommand = (): Command =>
  apiCommand('remove', 'watch a service no more')
    .argument('<id>')
    .option('--yes', 'without asking')
    .action(remove)

async function remove(id: string, options: ApiOptions & { yes?: true }): Promise<void> {
  const client = api(options)
  const { name, url } = await client.call(operations.readService, { params: { id } })
  const question = `Watch ${plain(name)} (${plain(url ?? id)}) no more?`
  if (!options.yes && !(await confirm(question))) return
  await client.call(operations.removeService, { params: { id } })
  if (options.json) printJson({ removed: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${id} is watched no more.\n`)
}
