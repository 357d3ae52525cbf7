/** `qd alert show`: everything that is known of one. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { details } from '../table.ts'
import { moment } from '../when.ts'
import { findAlertId } from './find.ts'
import { stateOf, whatOf } from './list.ts'

export const showCommand = (): Command =>
  apiCommand('show', 'show an alert').argument('<id>', 'whole or shortened').action(show)

async function show(text: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const alert = await client.call(operations.readAlert, { params: { id: await findAlertId(client, text) } })
  if (options.json) return printJson(alert)
  const pairs = (set: Record<string, string>) =>
    Object.entries(set).map(([name, value]) => plain(`${name}=${value}`))
  const { acknowledged, ended_at, generator_url, annotations } = alert
  process.stdout.write(`${plain(whatOf(alert))}\n`)
  process.stdout.write(
    details([
      ['Alert', alert.id],
      ['State', stateOf(alert)],
      ['Severity', alert.severity],
      ['Since', moment(alert.starts_at)],
      ['Ended', ended_at && moment(ended_at)],
      ['Acknowledged', acknowledged && plain(`${moment(acknowledged.at)} by ${acknowledged.by}`)],
      ['Source', plain(alert.source)],
      ['Labels', pairs(alert.labels)],
      ['Description', annotations.description ? plain(annotations.description) : null],
      ['From', generator_url && plain(generator_url)],
    ]),
  )
}
