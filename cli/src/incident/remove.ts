/** `qd incident remove`: as if it had never been written. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

export const removeCommand = (): Command =>
  apiCommand('remove', 'remove an incident, as if it had never been written')
    .argument('<id>')
    .option('--yes', 'without asking')
    .action(remove)

async function remove(id: string, options: ApiOptions & { yes?: true }): Promise<void> {
  const client = api(options)
  const { name } = await client.call(operations.readIncident, { params: { id } })
  if (!options.yes && !(await confirm(`Remove ${plain(name)} and everything that was told of it?`))) return
  await client.call(operations.removeIncident, { params: { id } })
  if (options.json) printJson({ removed: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${plain(name)} is removed.\n`)
}
