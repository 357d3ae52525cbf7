/** `qd project adopt`: units that are on a machine already become a project, where they are. */
import { type CandidatePage, operations, type ProjectCreate } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { details } from '../table.ts'
import { added } from './added.ts'
import { type AdoptOptions, adoptedDocument } from './adopted-document.ts'
import { scanned } from './scanned.ts'
import { withSettings } from './settings.ts'

/** What runs has to prove itself first. */
const limitMs = 90_000

type Options = ApiOptions & AdoptOptions & { scan?: true; all?: true; yes?: true }
type Found = CandidatePage['items'][number]

export const adoptCommand = (): Command =>
  withSettings(
    apiCommand('adopt', 'make a project of units that run already, where they are')
      .usage('UNIT [options]   or   --scan')
      .argument('[unit]', 'its web process, such as hello.service; or its only worker'),
    true,
  )
    .option('--scan', 'list the units that could be adopted, and what stands in the way')
    .option('--all', 'with --scan: also units that do not run from a working copy')
    .option('--name <name>', 'of the project (default: that of the unit)')
    .option('--worker <name=unit>', "another unit of it: 'mailer=hello-mailer.service'; repeatable", collect)
    .option('--yes', 'without asking')
    .action(adopt)

async function adopt(unit: string | undefined, options: Options): Promise<void> {
  const client = api(options)
  const items = await candidates(client, options)
  if (options.scan) return showScanned(items, options)
  if (unit === undefined)
    throw new GuidedFault(
      'invalid_fields',
      'Nothing says which unit is to be adopted.',
      'See which there are: qd project adopt --scan',
    )
  const body = adoptedDocument(unit, items, options)
  if (!options.yes && !(await agreed(body))) return
  const project = await client.call(operations.createProject, { body }, { limitMs })
  if (options.json) printJson(project)
  else process.stdout.write(await added(client, project))
}

async function candidates(client: Api, { machine }: Options): Promise<Found[]> {
  const query = machine ? { machine: machine[0] } : {}
  return (await client.call(operations.listCandidates, { query })).items
}

function showScanned(items: Found[], { json, all }: Options): void {
  if (json) printJson({ items })
  else process.stdout.write(scanned(items, all === true))
}

/** Says what will be different afterwards, because it is about something that works. */
function agreed({ name, repository, adopted, processes }: ProjectCreate): Promise<boolean> {
  const { bold } = colours(process.stderr)
  const { work, environment, units } = adopted!
  const port = processes?.find(process => process.name === 'web')?.port
  const plan = details([
    ['Repository', plain(repository)],
    ['Units', Object.entries(units).map(([process, unit]) => plain(`${process}: ${unit}`))],
    ['Port', port == null ? null : String(port)],
    ['Working copy', plain(work)],
    ['Environment', plain(environment)],
  ])
  process.stderr.write(
    `${bold(name)}\n${plan}\nThe units are not touched now. ${plain(environment)} becomes a link, behind which each deploy puts its own environment;\nwhat is there now is kept as ${plain(environment)}.adopted.\n`,
  )
  return confirm(`Adopt ${name}?`)
}

const collect = (text: string, before: string[] = []): string[] => [...before, text]
