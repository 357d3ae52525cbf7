/** `qd forge statuses`: where statuses of commits are written. The token comes by standard input, never as an argument. */
import { text } from 'node:stream/consumers'
import { type ForgeKind, forgeKind, operations } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'

interface StatusesOptions extends ApiOptions {
  kind: ForgeKind
  apiUrl?: string
  tokenStdin?: true
}

export const statusesCommand = (): Command =>
  apiCommand('statuses', 'write how runs go to the forge, as statuses of their commits')
    .argument('<project>')
    .addOption(
      new Option('--kind <forge>', 'gitea: Forgejo too').choices(forgeKind.options).makeOptionMandatory(),
    )
    .option('--api-url <address>', 'of a forge of one’s own, such as https://git.example.com')
    .option('--token-stdin', 'read the token that may write them from standard input (needed)')
    .action(statuses)

async function statuses(name: string, options: StatusesOptions): Promise<void> {
  const token = await tokenFrom(options)
  const body = { kind: options.kind, api_url: options.apiUrl, token }
  const forge = await api(options).call(operations.setStatuses, { params: { name }, body })
  if (options.json) return printJson(forge)
  const where = plain(forge.statuses?.api_url ?? '')
  process.stdout.write(
    `${colours(process.stdout).green('✓')} Statuses of ${name}’s commits are written to ${where} from the next run on.\n`,
  )
}

async function tokenFrom({ tokenStdin }: StatusesOptions): Promise<string> {
  const token = tokenStdin ? (await text(process.stdin)).trim() : ''
  if (token !== '') return token
  throw new GuidedFault(
    'invalid_fields',
    'There is no token to write statuses with.',
    'Give it on standard input, with --token-stdin: `qd forge statuses PROJECT --kind github --token-stdin < FILE`.',
  )
}
