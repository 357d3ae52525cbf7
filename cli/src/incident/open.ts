/** `qd incident open`: something is wrong. */
import { type Impact, impact, operations } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

interface OpenOptions extends ApiOptions {
  message?: string
  impact?: Impact
  service?: string[]
  template?: string
  draft?: true
}

export const openCommand = (): Command =>
  apiCommand('open', 'open an incident')
    .argument('[name]', 'what is wrong, in a few words; a template may say it')
    .option('--message <text>', 'what is known: the first update, in Markdown')
    .addOption(new Option('--impact <impact>', 'how bad it is (default: minor)').choices(impact.options))
    .option('--service <id>', 'that it concerns; repeatable', collect)
    .option('--template <name>', 'gives what is not said here')
    .option('--draft', 'nobody sees it before `qd incident publish`')
    .action(open)

async function open(name: string | undefined, options: OpenOptions): Promise<void> {
  const { message, impact, service, template, draft } = options
  const body = {
    ...{ name, body: message, impact, service_ids: service, template },
    ...(draft && { draft }),
  }
  const incident = await api(options).call(operations.createIncident, { body })
  if (options.json) return printJson(incident)
  const what = incident.draft ? 'is a draft that nobody sees yet' : 'is on the status page'
  process.stdout.write(
    `${colours(process.stdout).green('✓')} ${plain(incident.name)} ${what}: ${incident.id}\n`,
  )
}

export const collect = (text: string, before: string[] | undefined) => [...(before ?? []), text]
