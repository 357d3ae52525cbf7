/** `qd handbook`: its pages, before and without serving them. */
import { Command } from 'commander'
import { buildCommand } from './build.ts'
import { checkPagesCommand } from './check.ts'

export const handbookCommand = (): Command =>
  new Command('handbook')
    .description('check the handbook’s pages, or write them as files')
    .addCommand(checkPagesCommand())
    .addCommand(buildCommand())
