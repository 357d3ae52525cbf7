/** `qd deploy`: brings the newest commit of the branch, or one of it, into service. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from './api.ts'
import { commit } from './commit.ts'
import { apiCommand } from './options.ts'
import { seeThrough, type WaitOptions, withWaitOptions } from './run/see-through.ts'

interface DeployOptions extends WaitOptions {
  ref?: string
  discard?: true
}

export const deployCommand = (): Command =>
  withWaitOptions(
    apiCommand('deploy', 'deploy a project and follow the run to its end')
      .argument('<project>')
      .option('--ref <commit>', 'a commit of the branch (default: the newest)', commit)
      .option('--discard', 'give up changes that someone left in the working copy on the machine'),
  ).action(deploy)

async function deploy(name: string, options: DeployOptions): Promise<void> {
  const client = api(options)
  const body = { ref: options.ref, discard: options.discard ?? false }
  await seeThrough(client, await client.call(operations.startRun, { params: { name }, body }), options)
}
