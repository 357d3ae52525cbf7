/** After a change: what it was, how it reaches what runs, and with `--restart` that it does. */
import { operations, type VariableList } from '@quarterdeck/contract'
import type { Command } from 'commander'
import type { Api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import type { ApiOptions } from '../options.ts'
import { actOn } from '../units.ts'
import { nextSteps } from './next-steps.ts'

export interface ChangeOptions extends ApiOptions {
  restart?: true
}

export const withRestart = (command: Command): Command =>
  command.option('--restart', 'restart its units at once, so that what runs has them')

/** The change stands, however the restart ends. */
export async function tellChanged(
  client: Api,
  name: string,
  { changed, what }: { changed: VariableList; what: string },
  { json, restart }: ChangeOptions,
): Promise<void> {
  const { green, dim } = colours(process.stdout)
  const say = (text: string) => json || process.stdout.write(`${text}\n`)
  say(`${green('✓')} ${what} (revision ${changed.revision} of the variables of ${name}).`)
  if (!restart) {
    if (json) printJson(changed)
    say(`  ${dim(nextSteps(name, changed))}`)
    return
  }
  await actOn(client, operations.restartUnits, name)
  say(`${green('✓')} ${name} was restarted with them.`)
  if (json) printJson(await client.call(operations.listVariables, { params: { name } }))
}
