/** `qd channel`: where messages about alerts go. */
import { Command } from 'commander'
import { addCommand } from './add.ts'
import { listCommand } from './list.ts'
import { removeCommand } from './remove.ts'
import { testCommand } from './test-channel.ts'

export const channelCommand = (): Command =>
  new Command('channel')
    .description('where messages about alerts go: Telegram, Slack, e-mail, a webhook')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(testCommand())
    .addCommand(removeCommand())
