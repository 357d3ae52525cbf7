/** `qd incident`: what people read on the status page while something is wrong. */
import { Command } from 'commander'
import { listCommand } from './list.ts'
import { openCommand } from './open.ts'
import { publishCommand } from './publish.ts'
import { removeCommand } from './remove.ts'
import { templateCommand } from './template.ts'
import { resolveCommand, updateCommand } from './update.ts'

export const incidentCommand = (): Command =>
  new Command('incident')
    .description('tell people on the status page what is wrong')
    .addCommand(openCommand())
    .addCommand(updateCommand())
    .addCommand(resolveCommand())
    .addCommand(publishCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand())
    .addCommand(templateCommand())
