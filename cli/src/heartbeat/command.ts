/** `qd heartbeat`: signs of life that are expected. */
import { type Heartbeat, operations, type Severity, severities } from '@quarterdeck/contract'
import { Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { lengthOfTime } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { table } from '../table.ts'
import { moment } from '../when.ts'

export const heartbeatCommand = (): Command =>
  new Command('heartbeat')
    .description('expect signs of life: without one there is an alert')
    .addCommand(
      apiCommand('set', 'expect a heartbeat, or expect it otherwise')
        .argument('<name>')
        .requiredOption('--every <time>', 'such as 10m or 1d', lengthOfTime)
        .option('--grace <time>', 'how late it may be (default: 1m)', lengthOfTime)
        .addOption(new Option('--severity <word>', 'default: critical').choices(severities))
        .action(set),
    )
    .addCommand(apiCommand('list', 'list the heartbeats that are expected').alias('ls').action(list))
    .addCommand(
      apiCommand('remove', 'expect a heartbeat no longer').alias('rm').argument('<name>').action(remove),
    )

interface SetOptions extends ApiOptions {
  every: number
  grace?: number
  severity?: Severity
}

async function set(name: string, { every, grace, severity, ...options }: SetOptions): Promise<void> {
  const body = {
    every_s: every,
    ...(grace !== undefined && { grace_s: grace }),
    ...(severity && { severity }),
  }
  const made = await api(options).call(operations.setHeartbeat, { params: { name }, body })
  if (options.json) return printJson(made)
  process.stdout.write(
    `${colours(process.stdout).green('✓')} ${name} is expected by ${made.due_at.slice(0, 16)}Z: POST to /api/heartbeats/${name}.\n`,
  )
}

async function list(options: ApiOptions): Promise<void> {
  const client = api(options)
  const items = await itemsOf(query => client.call(operations.listHeartbeats, { query }))
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('No heartbeats are expected.\n')
  else process.stdout.write(table(columns, items.map(row)))
}

const columns = [
  { title: 'HEARTBEAT' },
  { title: 'EVERY' },
  { title: 'LAST' },
  { title: 'DUE' },
  { title: 'STATE' },
]

const row = ({ name, every_s, last_at, due_at, state }: Heartbeat): string[] => [
  name,
  `${every_s} s`,
  last_at ? moment(last_at) : 'never',
  moment(due_at),
  state,
]

async function remove(name: string, options: ApiOptions): Promise<void> {
  await api(options).call(operations.removeHeartbeat, { params: { name } })
  if (options.json) printJson({ removed: name })
  else process.stdout.write(`${colours(process.stdout).green('✓')} ${name} is no longer expected.\n`)
}
