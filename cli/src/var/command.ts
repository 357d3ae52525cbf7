/** `qd var`: what the processes of a project find in their environment. */
import { Command } from 'commander'
import { historyCommand } from './history.ts'
import { listCommand } from './list.ts'
import { restoreCommand } from './restore.ts'
import { setCommand } from './set.ts'
import { unsetCommand } from './unset.ts'

export const varCommand = (): Command =>
  new Command('var')
    .description('list, set, unset and restore the variables and secrets of a project')
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(unsetCommand())
    .addCommand(historyCommand())
    .addCommand(restoreCommand())
