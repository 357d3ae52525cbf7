/** `qd alert ack` and `qd alert end`. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { findAlertId } from './find.ts'
import { whatOf } from './list.ts'

export const ackCommand = (): Command =>
  apiCommand('ack', 'say that somebody sees to it: it is not repeated until it ends')
    .argument('<id>', 'whole or shortened')
    .option('--comment <text>', 'for the audit')
    .action(acknowledge)

async function acknowledge(text: string, options: ApiOptions & { comment?: string }): Promise<void> {
  const client = api(options)
  const id = await findAlertId(client, text)
  const alert = await client.call(operations.acknowledgeAlert, {
    params: { id },
    body: { comment: options.comment },
  })
  if (options.json) return printJson(alert)
  process.stdout.write(
    `${colours(process.stdout).green('✓')} Acknowledged until it ends: ${plain(whatOf(alert))}\n`,
  )
}

export const endCommand = (): Command =>
  apiCommand('end', 'end an alert whose source is lost').argument('<id>', 'whole or shortened').action(end)

async function end(text: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const alert = await client.call(operations.endAlert, { params: { id: await findAlertId(client, text) } })
  if (options.json) return printJson(alert)
  process.stdout.write(`${colours(process.stdout).green('✓')} Ended: ${plain(whatOf(alert))}\n`)
}
