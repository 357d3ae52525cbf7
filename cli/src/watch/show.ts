/** `qd watch show`: how a service is watched; never the values of what is sent along. */
import { operations, type ServiceEntry } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { details } from '../table.ts'
import { moment } from '../when.ts'
import { assertionText } from './assertion.ts'

export const showCommand = (): Command =>
  apiCommand('show', 'show a service, and how it is watched').argument('<id>').action(show)

async function show(id: string, options: ApiOptions): Promise<void> {
  const service = await api(options).call(operations.readService, { params: { id } })
  if (options.json) return printJson(service)
  process.stdout.write(`${colours(process.stdout).bold(service.id)}\n${described(service)}`)
}

const kinds = {
  project: 'of a project: `qd project show` tells more',
  watched: 'watched only',
  own: 'of the environment itself',
}

const listed = (texts: readonly string[]) => (texts.length > 0 ? texts.map(plain).join(', ') : null)

function described({
  kind,
  name,
  group,
  description,
  url,
  depends_on,
  runbook,
  watched,
}: ServiceEntry): string {
  return details([
    ['Name', plain(name)],
    ['Kind', kinds[kind]],
    ['Group', group],
    ['Description', description && plain(description)],
    ['Address', url && plain(url)],
    ...(watched ? watchedRows(watched) : []),
    ['Certificate', certificateText(url, watched)],
    ['Depends on', listed(depends_on)],
    ['Runbook', runbook && plain(runbook)],
    ['Links', watched === null ? null : watched.links.map(link => plain(`${link.title}: ${link.url}`))],
    ['Changed', watched && moment(watched.updated_at)],
  ])
}

const certificateText = (url: string | null, watched: ServiceEntry['watched']): string | null =>
  watched && url?.startsWith('https:')
    ? `degraded with fewer than ${watched.expect.certificate_days} days left`
    : null

type Rows = [string, string | string[] | null][]

function watchedRows({
  expect,
  interval_s,
  timeout_s,
  is_kit,
  header_names,
}: NonNullable<ServiceEntry['watched']>): Rows {
  return [
    ['Asked', `every ${interval_s} s, for ${timeout_s} s at most`],
    ['Sent along', listed(header_names)],
    [
      'Expected',
      is_kit ? '/healthz, /readyz and /version as the kit answers them' : `status ${expect.status}`,
    ],
    ['In its JSON', expect.json.map(assertion => plain(assertionText(assertion)))],
  ]
}
