/** `qd watch look`: one look, at once. */
import { operations, type ServiceLook } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { printJson, runFailed } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { lookText } from './look-text.ts'

/** Four times in a row connected and answered, at the longest limits. */
const limitMs = 500_000

export const lookCommand = (): Command =>
  apiCommand('look', `look at it once, at once; ends with ${runFailed} if it is not well`)
    .argument('<id>')
    .action(look)

async function look(id: string, options: ApiOptions): Promise<void> {
  const seen = await lookAt(api(options), id)
  if (options.json) printJson(seen)
  else process.stdout.write(lookText(seen))
  if (!seen.ok) process.exitCode = runFailed
}

export const lookAt = (client: Api, id: string): Promise<ServiceLook> =>
  client.call(operations.lookAtService, { params: { id } }, { limitMs })
