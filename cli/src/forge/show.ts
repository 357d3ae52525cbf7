/** `qd forge show`: what is set, and whether it works; never a secret. */
import { type Forge, operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { details } from '../table.ts'
import { moment } from '../when.ts'

export const showCommand = (): Command =>
  apiCommand('show', 'show how a project and its forge are connected').argument('<project>').action(show)

async function show(name: string, options: ApiOptions): Promise<void> {
  const forge = await api(options).call(operations.readForge, { params: { name } })
  if (options.json) return printJson(forge)
  process.stdout.write(`${colours(process.stdout).bold(name)}\n${described(name, forge)}`)
}

function described(name: string, { hook, statuses }: Forge): string {
  const { red } = colours(process.stdout)
  return details([
    ['Webhook', hook ? plain(hook.url) : `not taken; \`qd forge hook ${name}\` makes its secret`],
    ['Secret made', hook && moment(hook.created_at)],
    ['Last push', hook && (hook.last_delivery_at ? moment(hook.last_delivery_at) : 'none yet')],
    ['Statuses', statuses ? `${statuses.kind}, ${plain(statuses.api_url)}` : 'not written'],
    ['Last written', statuses && (statuses.last_sent_at ? moment(statuses.last_sent_at) : 'none yet')],
    ['Problem', statuses?.problem ? red(plain(statuses.problem)) : null],
  ])
}
