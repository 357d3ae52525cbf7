/** `qd watch add`: watches a service from now on, and tells what is seen of it at once. */
import { operations, type ServiceEntry } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { headerOption, headersOf } from './headers.ts'
import { lookAt } from './look.ts'
import { lookText } from './look-text.ts'
import { type SettingOptions, settingsOf, withSettings } from './settings.ts'

type AddOptions = ApiOptions & SettingOptions & { id?: string; header?: string[] }

const longestId = 63

export const addCommand = (): Command =>
  withSettings(
    apiCommand('add', 'watch a service at an address, and look at it once')
      .argument('<url>', 'http or https; asked with GET')
      .option('--id <id>', 'what it is known by (default: made from --name, or from the host)'),
    true,
  )
    .option(...headerOption)
    .action(add)

async function add(url: string, options: AddOptions): Promise<void> {
  const client = api(options)
  const id = options.id ?? idFrom(url, options.name)
  const headers = await headersOf(options.header)
  const body = { ...settingsOf(options), id, url, ...(headers && { headers }) }
  const service = await client.call(operations.watchService, { body })
  const look = await lookAt(client, id)
  if (options.json) return printJson({ service, look })
  process.stdout.write(`${addedText(service)}${lookText(look)}`)
  if (!look.ok) process.stdout.write(`  ${colours(process.stdout).dim(nextText(id))}\n`)
}

const addedText = ({ id, url, watched }: ServiceEntry): string =>
  `${colours(process.stdout).green('✓')} ${id} is watched from now on: ${plain(url ?? '')} every ${watched?.interval_s} s.\n`

const nextText = (id: string) =>
  `It stays watched. \`qd watch set ${id} --help\` tells how to expect something else, \`qd watch remove ${id}\` ends it.`

/** Such as `api-payments-example`. */
export function idFrom(url: string, name?: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : ''
  const words = (name ?? host)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
  const id = (/^[a-z]/.test(words) ? words : `at-${words}`).slice(0, longestId).replace(/-+$/, '')
  if (words !== '') return id
  if (name === undefined && host === '')
    throw new GuidedFault(
      'invalid_fields',
      `${plain(JSON.stringify(url).slice(0, 80))} is no address.`,
      'Give an http or https address, such as https://api.example.com/health.',
    )
  throw new GuidedFault(
    'invalid_fields',
    `${plain(JSON.stringify(name ?? url).slice(0, 80))} does not tell what to call it.`,
    'Give an http or https address, and say with --id what it is known by.',
  )
}
