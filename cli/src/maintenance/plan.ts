/** `qd maintenance plan`: announces it. */
import { operations, type Repeat, repeat } from '@quarterdeck/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { collect } from '../incident/open.ts'
import { lengthOfTime } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { moment } from '../when.ts'

interface PlanOptions extends ApiOptions {
  starts?: string
  for: number
  message?: string
  service?: string[]
  repeat?: Repeat
  repeatUntil?: string
}

export const planCommand = (): Command =>
  apiCommand('plan', 'announce a maintenance')
    .argument('<name>', 'what is done, in a few words')
    .requiredOption('--for <time>', 'how long it takes at most, such as 30m or 2h', lengthOfTime)
    .option('--starts <when>', 'such as 2027-01-01T22:00Z, or 2d from now (default: now)', when)
    .option('--message <text>', 'what people will notice, in Markdown')
    .option('--service <id>', 'that it concerns; repeatable', collect)
    .addOption(
      new Option('--repeat <how>', 'at the same time of day, in the environment’s zone').choices(
        repeat.options,
      ),
    )
    .option('--repeat-until <when>', 'no window begins after it', when)
    .action(plan)

async function plan(name: string, options: PlanOptions): Promise<void> {
  const { starts = new Date().toISOString(), message, service, repeatUntil } = options
  const body = {
    ...{ name, body: message, service_ids: service, repeat: options.repeat, repeat_until: repeatUntil },
    ...{ starts_at: starts, ends_at: new Date(Date.parse(starts) + options.for * 1000).toISOString() },
  }
  const maintenance = await api(options).call(operations.createMaintenance, { body })
  if (options.json) return printJson(maintenance)
  const { id, starts_at, ends_at } = maintenance
  process.stdout.write(
    `${colours(process.stdout).green('✓')} ${plain(name)} is announced, from ${moment(starts_at, false)} to ${moment(ends_at, false)}: ${id}\n`,
  )
}

/** A moment with its zone, or a length of time from now. */
function when(text: string): string {
  if (/^\d{1,6}[smhdw]$/.test(text)) return new Date(Date.now() + lengthOfTime(text) * 1000).toISOString()
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  throw new InvalidArgumentError('It must be such as 2d, 2027-01-01T22:00Z or 2027-01-01T22:00+01:00.')
}
