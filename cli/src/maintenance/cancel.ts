/** `qd maintenance cancel`: there is none any more. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'

export const cancelCommand = (): Command =>
  apiCommand('cancel', 'cancel a maintenance: no window begins any more, and one that is under way ends')
    .argument('<id>')
    .action(cancel)

async function cancel(id: string, options: ApiOptions): Promise<void> {
  await api(options).call(operations.cancelMaintenance, { params: { id } })
  if (options.json) printJson({ cancelled: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${id} is cancelled.\n`)
}
