/** `qd forge`: how a project and its forge are connected. */
import { Command } from 'commander'
import { hookCommand } from './hook.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'
import { statusesCommand } from './statuses.ts'

export const forgeCommand = (): Command =>
  new Command('forge')
    .description('take a forge’s webhook, and write statuses of commits back')
    .addCommand(hookCommand())
    .addCommand(statusesCommand())
    .addCommand(showCommand())
    .addCommand(removeCommand())
