/** `qd rollback`: back to what was proven to run before, to a commit, or to that of an earlier run. */
import { operations } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { api } from './api.ts'
import { commit } from './commit.ts'
import { apiCommand } from './options.ts'
import { findRun } from './run/find.ts'
import { seeThrough, type WaitOptions, withWaitOptions } from './run/see-through.ts'

interface RollbackOptions extends WaitOptions {
  to?: string
  run?: string
  secrets?: true
  hold?: true
  reason?: string
}

export const rollbackCommand = (): Command =>
  withWaitOptions(
    apiCommand('rollback', 'go back to an earlier commit (default: what was proven to run before)')
      .argument('<project>')
      .addOption(new Option('--to <commit>', 'a commit of the branch').argParser(commit).conflicts('run'))
      .option('--run <id>', 'the commit that an earlier run deployed')
      .option('--secrets', 'the secrets of then, too; other variables go back with the commit anyway')
      .option('--hold', 'let later pushes wait until `qd resume`')
      .option('--reason <text>', 'for those who wonder'),
  ).action(rollback)

async function rollback(name: string, options: RollbackOptions): Promise<void> {
  const client = api(options)
  const { to, secrets, hold = false, reason } = options
  const run = options.run && (await findRun(client, options.run)).id
  const body = { to, run, secrets, hold, reason }
  await seeThrough(client, await client.call(operations.rollback, { params: { name }, body }), options)
}
