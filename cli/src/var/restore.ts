/** `qd var restore`: the variables of an earlier revision again, as a new one. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { count } from '../numbers.ts'
import { apiCommand } from '../options.ts'
import { type ChangeOptions, tellChanged, withRestart } from './changed.ts'

export const restoreCommand = (): Command =>
  withRestart(
    apiCommand('restore', 'bring the variables of an earlier revision back; secrets stay the newest')
      .argument('<project>')
      .argument('<revision>', 'as `qd var history` numbers them; 0: before the first', count(0, 1e9))
      .option('--secrets', 'the secrets of then, too'),
  ).action(restore)

async function restore(
  name: string,
  revision: number,
  options: ChangeOptions & { secrets?: true },
): Promise<void> {
  const client = api(options)
  const body = { revision, secrets: options.secrets ?? false }
  const changed = await client.call(operations.restoreVariables, { params: { name }, body })
  const what = `Variables${options.secrets ? ' and secrets' : ''} are as in revision ${revision}`
  await tellChanged(client, name, { changed, what }, options)
}
