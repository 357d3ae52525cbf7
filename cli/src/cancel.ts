/** `qd cancel`: ends a run and takes back what it has done. */
import { operations, type Run } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from './api.ts'
import { colours } from './colours.ts'
import { printJson } from './fail.ts'
import { shortId } from './ids.ts'
import { type ApiOptions, apiCommand } from './options.ts'
import { hasEnded } from './run/ending.ts'
import { findRunUnlessProject, openRun } from './run/find.ts'

export const cancelCommand = (): Command =>
  apiCommand('cancel', 'end a run and take back what it has done')
    .argument('<run|project>', 'the id of a run; of a project its running run, else the waiting one')
    .action(cancel)

async function cancel(text: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const { id } = (await findRunUnlessProject(client, text)) ?? (await openRun(client, text))
  const run = await client.call(operations.cancelRun, { params: { id } })
  if (options.json) printJson(run)
  else process.stdout.write(told(run))
}

function told(run: Run): string {
  const { green, dim } = colours(process.stdout)
  const id = shortId(run.id)
  return hasEnded(run)
    ? `${green('✓')} Run ${id} of ${run.project} was cancelled.\n`
    : `${green('✓')} Run ${id} of ${run.project} is being cancelled.\n  ${dim(`See the end of it with \`qd logs -f ${id}\`.`)}\n`
}
