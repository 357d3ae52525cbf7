/** `qd status`: how every service is, as the status page tells it. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Status, statusDocument } from '@quarterdeck/contract'
import { type Command, Option } from 'commander'
import { ask } from '../client.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { faultOf } from '../problem-fault.ts'
import { screenOf } from '../screen.ts'
import { where } from '../where.ts'
import { changesBetween, statusText } from './text.ts'

const everyMs = 2000

interface StatusCommandOptions extends ApiOptions {
  group?: string
  watch?: true
}

export const statusCommand = (): Command =>
  apiCommand('status', 'show how the services are')
    .option('--group <name>', 'of one group only')
    .addOption(new Option('--watch', 'go on, and show what changes').conflicts('json'))
    .action(status)

async function status(options: StatusCommandOptions): Promise<void> {
  const shown = await readStatus(options)
  if (options.json) printJson(shown)
  else if (options.watch) await watch(shown, options)
  else process.stdout.write(statusText(shown))
}

/** On a terminal the whole is drawn anew; elsewhere each change is a line. Ends with Ctrl+C. */
async function watch(first: Status, options: StatusCommandOptions): Promise<void> {
  const screen = screenOf(process.stdout)
  const draw = (text: string) => screen.write(`\u001b[H\u001b[J${text}`)
  let shown = first
  if (!screen.live) screen.write(statusText(shown))
  for (;;) {
    if (screen.live) draw(`${statusText(shown)}\n${screen.paint.dim('Ctrl+C ends this.')}\n`)
    await wait(everyMs)
    // Control may be on its way back: what is known is shown, with the words for why there is nothing newer.
    const next = await readStatus(options).catch((error: Error) => error)
    if (next instanceof Error) {
      screen.write(`${screen.paint.yellow(next.message)}\n`)
      await wait(everyMs)
    } else {
      if (!screen.live) screen.write(changesBetween(shown, next))
      shown = next
    }
  }
}

async function readStatus({ group, ...options }: StatusCommandOptions): Promise<Status> {
  const { origin, address } = where(options)
  const url = new URL(origin)
  if (!url.hostname.startsWith('admin.'))
    throw new GuidedFault(
      'config_invalid',
      `${origin} is not the address of an admin host: where the status host is cannot be told from it.`,
      'Give it as https://admin.example.com, with --url or QUARTERDECK_URL.',
    )
  url.hostname = url.hostname.replace(/^admin\./, 'status.')
  url.pathname = '/status.json'
  if (group !== undefined) url.searchParams.set('group', group)
  const { status, body } = await ask(url.href, { address })
  if (status === 404 && group !== undefined)
    throw new GuidedFault('not_found', `There is no service in a group ${group}.`, 'See `qd status`.')
  if (status >= 400) throw faultOf(status, body, url.href)
  return statusDocument.schema.parse(body)
}
