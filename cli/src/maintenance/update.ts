/** `qd maintenance update` and `qd maintenance end`: how it goes, and that it is done. */
import { operations } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

interface UpdateOptions extends ApiOptions {
  message: string
  status?: 'verifying' | 'completed'
}

export const updateCommand = (): Command =>
  apiCommand('update', 'tell more about the window that is under way or next')
    .argument('<id>')
    .requiredOption('--message <text>', 'in Markdown')
    .addOption(
      new Option('--status <status>', 'only while it is under way').choices(['verifying', 'completed']),
    )
    .action(update)

export const endCommand = (): Command =>
  apiCommand('end', 'end the window that is under way, before its time')
    .argument('<id>')
    .option('--message <text>', 'in Markdown', 'This is done.')
    .action((id: string, options: UpdateOptions) => update(id, { ...options, status: 'completed' }))

async function update(id: string, options: UpdateOptions): Promise<void> {
  const { message: body, status } = options
  const maintenance = await api(options).call(operations.updateMaintenance, {
    params: { id },
    body: { body, status },
  })
  if (options.json) printJson(maintenance)
  else
    process.stdout.write(
      `${colours(process.stdout).green('✓')} ${plain(maintenance.name)}: ${maintenance.status.replaceAll('_', ' ')}.\n`,
    )
}
