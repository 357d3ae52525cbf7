/** `qd watch`: services that are watched only, at an address. */
import { Command } from 'commander'
import { addCommand } from './add.ts'
import { listCommand } from './list.ts'
import { lookCommand } from './look.ts'
import { removeCommand } from './remove.ts'
import { setCommand } from './set.ts'
import { showCommand } from './show.ts'

export const watchCommand = (): Command =>
  new Command('watch')
    .description('watch services that are not deployed from here, at their address')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(setCommand())
    .addCommand(lookCommand())
    .addCommand(removeCommand())
