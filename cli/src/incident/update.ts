/** `qd incident update` and `qd incident resolve`: more is known, or it is over. */
import { type IncidentStatus, incidentStatus, operations } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { findIncident } from './find.ts'

interface UpdateOptions extends ApiOptions {
  message: string
  status?: IncidentStatus
}

const named = 'its id, or the end of it; may be left out when one alone is open'
const text = ['--message <text>', 'what is known now, in Markdown'] as const

export const updateCommand = (): Command =>
  apiCommand('update', 'tell more about an incident')
    .argument('[id]', named)
    .requiredOption(...text)
    .addOption(
      new Option('--status <status>', 'how far it is (default: as before)').choices(incidentStatus.options),
    )
    .action(update)

export const resolveCommand = (): Command =>
  apiCommand('resolve', 'say that an incident is over')
    .argument('[id]', named)
    .option('--message <text>', 'how it ended, in Markdown', 'This is resolved.')
    .action((id: string | undefined, options: UpdateOptions) =>
      update(id, { ...options, status: 'resolved' }),
    )

async function update(named: string | undefined, options: UpdateOptions): Promise<void> {
  const client = api(options)
  const { id } = await findIncident(client, named)
  const { message: body, status } = options
  const incident = await client.call(operations.updateIncident, { params: { id }, body: { body, status } })
  if (options.json) printJson(incident)
  else
    process.stdout.write(
      `${colours(process.stdout).green('✓')} ${plain(incident.name)} is ${incident.status} now.\n`,
    )
}
