/** `qd var unset`: takes variables away; their history stays. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { type ChangeOptions, tellChanged, withRestart } from './changed.ts'

export const unsetCommand = (): Command =>
  withRestart(
    apiCommand('unset', 'take variables away from a project; `qd var restore` brings them back')
      .argument('<project>')
      .argument('<names...>'),
  ).action(unset)

async function unset(name: string, names: string[], options: ChangeOptions): Promise<void> {
  const client = api(options)
  const { items } = await client.call(operations.listVariables, { params: { name } })
  const unknown = names.find(wanted => !items.some(item => item.name === wanted))
  if (unknown !== undefined) {
    throw new GuidedFault(
      'not_found',
      `${name} has no variable ${plain(unknown)}. Nothing was changed.`,
      `\`qd var list ${name}\` names those that it has.`,
    )
  }
  const body = { unset: names }
  const changed = await client.call(operations.changeVariables, { params: { name }, body })
  await tellChanged(client, name, { changed, what: `${names.join(', ')} unset` }, options)
}
