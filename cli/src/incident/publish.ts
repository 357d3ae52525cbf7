/** `qd incident publish`: a draft is shown to everybody. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { findIncident } from './find.ts'

export const publishCommand = (): Command =>
  apiCommand('publish', 'show a draft to everybody')
    .argument('[id]', 'its id, or the end of it; may be left out when one alone is open')
    .action(publish)

async function publish(named: string | undefined, options: ApiOptions): Promise<void> {
  const client = api(options)
  const { id } = await findIncident(client, named)
  const incident = await client.call(operations.changeIncident, { params: { id }, body: { draft: false } })
  if (options.json) printJson(incident)
  else
    process.stdout.write(
      `${colours(process.stdout).green('✓')} ${plain(incident.name)} is on the status page.\n`,
    )
}
