/** `qd project archive`: its units are stopped, its tokens revoked; its runs and data are kept. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { confirm } from '../confirm.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'

/** Its units are stopped first, and may take their time. */
const limitMs = 180_000

export const archiveCommand = (): Command =>
  apiCommand('archive', 'archive a project: units stopped, tokens revoked, runs and data kept')
    .argument('<name>')
    .option('--yes', 'without asking')
    .action(archive)

async function archive(name: string, options: ApiOptions & { yes?: true }): Promise<void> {
  const client = api(options)
  const { adopted } = await client.call(operations.readProject, { params: { name } })
  const units = adopted ? 'Its units, which were adopted, go on as they are' : 'Its units are stopped'
  const question = `Archive ${name}? ${units}, its tokens are revoked; runs and data are kept.`
  if (!options.yes && !(await confirm(question))) return
  await client.call(operations.archiveProject, { params: { name } }, { limitMs })
  if (options.json) printJson({ archived: name })
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${name} was archived.\n`)
}
