/** `qd alert`: what is wrong, and who sees to it. */
import { Command } from 'commander'
import { ackCommand, endCommand } from './acknowledge.ts'
import { listCommand } from './list.ts'
import { showCommand } from './show.ts'

export const alertCommand = (): Command =>
  new Command('alert')
    .description('see and acknowledge alerts')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(ackCommand())
    .addCommand(endCommand())
