/** `qd watch set`: changes how a service is watched. */
import { operations, type WatchedChange } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { headerOption, headersOf } from './headers.ts'
import { type SettingOptions, settingsOf, withSettings } from './settings.ts'

type SetOptions = ApiOptions & SettingOptions & { address?: string; header?: string[] | false }

export const setCommand = (): Command =>
  withSettings(
    apiCommand('set', 'change how a service is watched; what is not given stays')
      .argument('<id>')
      .option('--address <url>', 'where it is; with another host what is sent along is dropped'),
    false,
  )
    .option(...headerOption)
    .option('--no-description', 'without a description')
    .option('--no-expect', 'whatever its JSON')
    .option('--no-kit', 'an address like any')
    .option('--no-depends-on', 'it depends on nothing')
    .option('--no-runbook', 'without a runbook')
    .option('--no-link', 'without links')
    .option('--no-header', 'send nothing along')
    .action(set)

async function set(id: string, options: SetOptions): Promise<void> {
  const headers = options.header === false ? {} : await headersOf(options.header)
  const body: WatchedChange = {
    ...settingsOf(options),
    ...(options.address !== undefined && { url: options.address }),
    ...(headers && { headers }),
  }
  const changed = Object.keys(body)
  if (changed.length === 0) {
    throw new GuidedFault(
      'invalid_fields',
      `Nothing was said to change of ${id}.`,
      '`qd watch set --help` lists what can be changed.',
    )
  }
  const service = await api(options).call(operations.changeService, { params: { id }, body })
  if (options.json) return printJson(service)
  process.stdout.write(`${colours(process.stdout).green('✓')} ${id} was changed: ${changed.join(', ')}.\n`)
}
