/** `qd rerun`: the same call again; of an earlier successful run this is a rollback. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from './api.ts'
import { apiCommand } from './options.ts'
import { findRun } from './run/find.ts'
import { seeThrough, type WaitOptions, withWaitOptions } from './run/see-through.ts'

export const rerunCommand = (): Command =>
  withWaitOptions(
    apiCommand('rerun', 'run an earlier run again; of one that succeeded this is a rollback').argument(
      '<run>',
      'its id, whole or shortened',
    ),
  ).action(rerun)

async function rerun(text: string, options: WaitOptions): Promise<void> {
  const client = api(options)
  const { id } = await findRun(client, text)
  await seeThrough(client, await client.call(operations.rerun, { params: { id } }), options)
}
