/** `qd maintenance`: announced downtime. */
import { Command } from 'commander'
import { cancelCommand } from './cancel.ts'
import { listCommand } from './list.ts'
import { planCommand } from './plan.ts'
import { endCommand, updateCommand } from './update.ts'

export const maintenanceCommand = (): Command =>
  new Command('maintenance')
    .description('announce downtime, which then is none against a service')
    .addCommand(planCommand())
    .addCommand(updateCommand())
    .addCommand(endCommand())
    .addCommand(cancelCommand())
    .addCommand(listCommand())
