/** `qd project`: what is deployed. */
import { Command } from 'commander'
import { accessCommand } from './access.ts'
import { addCommand } from './add.ts'
import { adoptCommand } from './adopt.ts'
import { archiveCommand } from './archive.ts'
import { listCommand } from './list.ts'
import { setCommand } from './set.ts'
import { showCommand } from './show.ts'

export const projectCommand = (): Command =>
  new Command('project')
    .description('add, adopt, list, show, change and archive projects; access to their repositories')
    .addCommand(addCommand())
    .addCommand(adoptCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(setCommand())
    .addCommand(accessCommand())
    .addCommand(archiveCommand())
