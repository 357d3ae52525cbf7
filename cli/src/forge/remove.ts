/** `qd forge remove`: the webhook, the statuses, or both; with them their secrets. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'

interface RemoveOptions extends ApiOptions {
  hook?: true
  statuses?: true
  yes?: true
}

export const removeCommand = (): Command =>
  apiCommand('remove', 'take no more webhook calls and write no more statuses; their secrets are deleted')
    .argument('<project>')
    .option('--hook', 'the webhook alone')
    .option('--statuses', 'the statuses alone')
    .option('--yes', 'without asking')
    .action(remove)

async function remove(name: string, options: RemoveOptions): Promise<void> {
  const both = options.hook === options.statuses
  const [hook, statuses] = [both || options.hook === true, both || options.statuses === true]
  const what = [hook && 'webhook', statuses && 'statuses'].filter(Boolean).join(' and ')
  const client = api(options)
  await client.call(operations.readForge, { params: { name } })
  if (!options.yes && !(await confirm(`Remove the ${what} of ${name}? The secrets are deleted.`))) return
  if (hook) await client.call(operations.removeHook, { params: { name } })
  if (statuses) await client.call(operations.removeStatuses, { params: { name } })
  if (options.json) printJson({ removed: { hook, statuses } })
  else process.stdout.write(`${colours(process.stdout).green('✓')} Removed the ${what} of ${name}.\n`)
}
