/** `qd token create`: of a project, or of an operator. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { GuidedFault } from '../fail.ts'
import { future } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { tellToken } from './made.ts'

interface CreateOptions extends ApiOptions {
  label: string
  operator?: true
  expires?: string
}

export const createCommand = (): Command =>
  apiCommand('create', 'make a token; it is shown this once only, alone on standard output')
    .argument('[project]', 'that it may deploy')
    .requiredOption('--label <text>', 'whose it is, or what for; a run names its caller by it')
    .option('--operator', 'of an operator instead of a project: it may do everything')
    .option('--expires <when>', 'such as 90d or 2027-01-01 (default: never)', future)
    .action(create)

async function create(name: string | undefined, options: CreateOptions): Promise<void> {
  if ((name === undefined) === (options.operator === undefined)) {
    throw new GuidedFault(
      'invalid_fields',
      'A token is either of a project or of an operator.',
      'Say `qd token create PROJECT --label …`, or `qd token create --operator --label …`.',
    )
  }
  const client = api(options)
  const body = { label: options.label, expires_at: options.expires }
  const made = name
    ? await client.call(operations.createDeployToken, { params: { name }, body })
    : await client.call(operations.createToken, { body })
  const use = name
    ? `It deploys ${name}: keep it as the secret DEPLOY_TOKEN of the job that calls the webhook.`
    : 'It may do everything: give it to qd as QUARTERDECK_TOKEN, together with QUARTERDECK_URL.'
  tellToken(made, use, options)
}
