/** `qd channel remove`: no more messages go there, and what waits is given up. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { findChannel } from './find.ts'

export const removeCommand = (): Command =>
  apiCommand('remove', 'remove a channel, and what waits for it')
    .alias('rm')
    .argument('<name>')
    .option('--yes', 'do not ask')
    .action(remove)

async function remove(name: string, options: ApiOptions & { yes?: true }): Promise<void> {
  const client = api(options)
  const { id } = await findChannel(client, name)
  if (!options.yes && !(await confirm(`Send no more messages to ${name}?`))) return
  await client.call(operations.removeChannel, { params: { id } })
  if (options.json) printJson({ removed: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} No more messages go to ${name}.\n`)
}
