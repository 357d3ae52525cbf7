/** `qd apply`: shows the difference between a file and what is there, then makes it, in one step or not at all. */
import { type ApplyOutcome, Fault, operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { differs, GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { EnvironmentYaml } from './environment-yaml.ts'
import { changesAnything, countText, outcomeText } from './outcome-text.ts'
import { nameOf, readBounded } from './read-bounded.ts'

/** Agents are asked about ports, and the units of what is archived may take their time to stop. */
const limitMs = 180_000

type ApplyOptions = ApiOptions & { prune?: true; yes?: true; dryRun?: true }

export const applyCommand = (): Command =>
  apiCommand(
    'apply',
    'bring all projects and watched services to what a file says; shows the difference first',
  )
    .argument('<file>', 'YAML as `qd export` writes it; - for standard input')
    .option(
      '--prune',
      'archive the projects that the file does not name, and remove such services if it names any',
    )
    .option('--dry-run', `only show the difference; ends with ${differs} if there is one`)
    .option('--yes', 'without asking')
    .action(apply)

async function apply(file: string, options: ApplyOptions): Promise<void> {
  const yaml = new EnvironmentYaml(nameOf(file), await readBounded(file))
  const client = api(options)
  const prune = options.prune ? 'true' : 'false'
  const shown = await call(client, yaml, { prune, dry_run: 'true' })
  const isDifferent = changesAnything(shown)
  if (options.dryRun || !isDifferent) {
    tell(shown, options, isDifferent ? '' : sameText(shown))
    if (isDifferent) process.exitCode = differs
    return
  }
  if (!options.json) process.stdout.write(outcomeText(shown))
  if (!options.yes && !(await confirm(`Make these changes (${countText(shown)})?`))) return
  const done = await call(client, yaml, { prune, digest: shown.digest })
  if (options.json) printJson(done)
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${countText(done)}.\n`)
}

const sameText = ({ secrets_to_set }: ApplyOutcome): string =>
  `Everything${secrets_to_set.length > 0 ? ' else' : ''} is as the file says.\n`

function tell(outcome: ApplyOutcome, { json }: ApplyOptions, sentence: string): void {
  if (json) printJson(outcome)
  else process.stdout.write(`${outcomeText(outcome)}${sentence}`)
}

type Query = Parameters<typeof query>[0]
const query = (asked: { prune: 'true' | 'false'; dry_run?: 'true'; digest?: string }) => asked

/** What is refused is told by its place in the file. */
async function call(client: Api, yaml: EnvironmentYaml, asked: Query): Promise<ApplyOutcome> {
  try {
    return await client.call(operations.apply, { query: query(asked), body: yaml.written }, { limitMs })
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'invalid_fields') throw error
    const fields = error.fields.map(field => yaml.placed(field))
    throw new GuidedFault(error.code, error.message, error.entry.remedy, { fields, cause: error })
  }
}
