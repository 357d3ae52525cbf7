/** `qd forge hook`: the secret alone on standard output; where to put it on the other. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

export const hookCommand = (): Command =>
  apiCommand('hook', 'make the secret of the forge’s webhook; it is shown this once only')
    .argument('<project>')
    .option('--rotate', 'in place of the one that is there, which no longer counts')
    .action(hook)

async function hook(name: string, options: ApiOptions & { rotate?: true }): Promise<void> {
  const client = api(options)
  const body = { rotate: options.rotate ?? false }
  const made = await client.call(operations.createHook, { params: { name }, body })
  if (options.json) return printJson(made)
  const { green, dim } = colours(process.stderr)
  const rows = [
    ['Payload URL', plain(made.url)],
    ['Content type', 'application/json'],
    ['Secret', 'the line below, which is shown this once only'],
    ['Events', 'pushes'],
  ]
  process.stderr.write(
    `${green('✓')} ${name} takes the webhook of GitHub, Gitea or Forgejo. Put into its settings there:\n` +
      rows.map(([label, value]) => `  ${dim(label!.padEnd(12))}  ${value}\n`).join(''),
  )
  process.stdout.write(`${made.secret}\n`)
}
