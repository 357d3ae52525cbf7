/** `qd token revoke`: at once and for good. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { findTokenId } from './find.ts'

export const revokeCommand = (): Command =>
  apiCommand('revoke', 'revoke a token, at once and for good')
    .argument('<id>', 'whole or shortened')
    .action(revoke)

async function revoke(text: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const id = await findTokenId(client, text)
  await client.call(operations.revokeToken, { params: { id } })
  if (options.json) printJson({ revoked: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} Token ${shortId(id)} no longer counts.\n`)
}
