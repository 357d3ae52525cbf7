/** `qd token`: the keys of projects and operators. */
import { Command } from 'commander'
import { createCommand } from './create.ts'
import { listCommand } from './list.ts'
import { revokeCommand } from './revoke.ts'
import { rotateCommand } from './rotate.ts'

export const tokenCommand = (): Command =>
  new Command('token')
    .description('make, list, rotate and revoke tokens')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
