/** The settings of a watched service as options of the command line. */
import {
  type ExpectedStatus,
  expectedStatus,
  type JsonAssertion,
  type WatchedChange,
} from '@quarterdeck/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { count, seconds } from '../numbers.ts'
import { assertionForms, assertionOf } from './assertion.ts'

/** false: the option that begins with `--no-`. */
export interface SettingOptions {
  name?: string
  group?: string
  description?: string | false
  status?: ExpectedStatus
  expect?: JsonAssertion[] | false
  certificateDays?: number
  interval?: number
  timeout?: number
  kit?: boolean
  dependsOn?: string[] | false
  runbook?: string | false
  link?: { title: string; url: string }[] | false
}

/** A new service has defaults; of one that is there, what is not given stays. */
export function withSettings(command: Command, isNew: boolean): Command {
  const or = (text: string) => (isNew ? ` (default: ${text})` : '')
  return command
    .option('--name <text>', `as it is shown${or('its id')}`)
    .option('--group <name>', `that it is shown in${or('production')}`)
    .option('--description <text>', 'what it is')
    .option('--status <status>', `that it answers with, or a range${or('200-299')}`, status)
    .option('--expect <assertion>', `of its JSON: ${assertionForms}; repeatable`, assertions)
    .option(
      '--certificate-days <days>',
      `with fewer left of its certificate it is degraded${or('14')}`,
      count(0, 365),
    )
    .option('--interval <seconds>', `from look to look${or('15')}`, count(5, 3600))
    .option('--timeout <seconds>', `for an answer${or('5')}`, seconds)
    .option('--kit', 'it answers /healthz, /readyz, /version and /metrics below its address')
    .option('--depends-on <id>', 'a service without which it cannot work; repeatable', collect)
    .option('--runbook <url>', 'address of the runbook, or its page in the handbook')
    .option('--link <title=url>', 'shown beside it; repeatable', links)
}

/** Only what was given. */
export function settingsOf(options: SettingOptions): WatchedChange {
  const expect = given({
    status: options.status,
    json: options.expect === false ? [] : options.expect,
    certificate_days: options.certificateDays,
  })
  return given({
    name: options.name,
    group: options.group,
    description: options.description === false ? null : options.description,
    expect: Object.keys(expect).length > 0 ? expect : undefined,
    interval_s: options.interval,
    timeout_s: options.timeout,
    is_kit: options.kit,
    depends_on: options.dependsOn === false ? [] : options.dependsOn,
    runbook: options.runbook === false ? null : options.runbook,
    links: options.link === false ? [] : options.link,
  }) as WatchedChange
}

const given = (settings: object): object =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))

const collect = (text: string, before: string[] | false | undefined) => [...(before || []), text]

const assertions = (text: string, before: JsonAssertion[] | false | undefined) => [
  ...(before || []),
  assertionOf(text),
]

function status(text: string): ExpectedStatus {
  const { data, error } = expectedStatus.safeParse(/^\d+$/.test(text) ? Number(text) : text)
  if (data !== undefined) return data
  throw new InvalidArgumentError(`It must be ${error.issues[0]!.message}, such as 204 or 200-299.`)
}

function links(text: string, before: { title: string; url: string }[] | false | undefined) {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError("It must be such as 'Dashboard=https://grafana.example/d/1'.")
  return [...(before || []), { title: text.slice(0, at), url: text.slice(at + 1) }]
}
