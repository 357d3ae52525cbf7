/** `qd silence`: keep quiet about alerts that match, until an end. */
import { operations, type Silence } from '@quarterdeck/contract'
import { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { isWholeId, pickById, shortId } from '../ids.ts'
import { lengthOfTime } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { plain } from '../plain.ts'
import { table } from '../table.ts'
import { moment } from '../when.ts'

export const silenceCommand = (): Command =>
  new Command('silence')
    .description('keep quiet about alerts that match, until an end')
    .addCommand(
      apiCommand('add', 'silence alerts that match all of the matchers')
        .argument('<matchers...>', 'such as job=hello severity!=critical instance=~"web-.*"')
        .requiredOption('--for <time>', 'how long, such as 30m, 2h or 7d', lengthOfTime)
        .requiredOption('--comment <text>', 'why')
        .action(add),
    )
    .addCommand(
      apiCommand('list', 'list the silences that are active or to come')
        .alias('ls')
        .option('--all', 'those that have ended, too')
        .action(list),
    )
    .addCommand(
      apiCommand('remove', 'end a silence at once')
        .alias('rm')
        .argument('<id>', 'whole or shortened')
        .action(remove),
    )

async function add(
  matchers: string[],
  options: ApiOptions & { for: number; comment: string },
): Promise<void> {
  const ends_at = new Date(Date.now() + options.for * 1000).toISOString()
  const body = { matchers, ends_at, comment: options.comment }
  const made = await api(options).call(operations.createSilence, { body })
  if (options.json) return printJson(made)
  const { green } = colours(process.stdout)
  process.stdout.write(
    `${green('✓')} Silenced until ${made.ends_at.slice(0, 16)}Z: ${plain(made.matchers.join(' '))} (${shortId(made.id)})\n`,
  )
}

async function list(options: ApiOptions & { all?: true }): Promise<void> {
  const items = await silencesOf(options, options.all ? 'all' : 'open')
  if (options.json) printJson({ items })
  else if (items.length === 0) process.stdout.write('There are no silences.\n')
  else process.stdout.write(table(columns, items.map(row)))
}

const columns = [
  { title: 'SILENCE' },
  { title: 'MATCHERS', flexible: true as const },
  { title: 'ENDS' },
  { title: 'STATE' },
  { title: 'BY', flexible: true as const },
  { title: 'COMMENT', flexible: true as const },
]

const row = ({ id, matchers, ends_at, state, created_by, comment }: Silence): string[] => [
  shortId(id),
  matchers.join(' '),
  moment(ends_at),
  state,
  created_by,
  comment,
]

const silencesOf = (options: ApiOptions, state: 'open' | 'all'): Promise<Silence[]> => {
  const client = api(options)
  return itemsOf(query => client.call(operations.listSilences, { query: { ...query, state } }))
}

async function remove(text: string, options: ApiOptions): Promise<void> {
  const id = isWholeId(text)
    ? text.toLowerCase()
    : pickById(text, await silencesOf(options, 'open'), 'qd silence list').id
  await api(options).call(operations.endSilence, { params: { id } })
  if (options.json) printJson({ ended: id })
  else process.stdout.write(`${colours(process.stdout).green('✓')} The silence ${shortId(id)} has ended.\n`)
}
