/** `qd var set`: from the command line, from standard input, asked for, or from a file. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { apiCommand } from '../options.ts'
import { type ChangeOptions, tellChanged, withRestart } from './changed.ts'
import { type GivenOptions, givenValues } from './given.ts'

type SetOptions = ChangeOptions & GivenOptions & { secret?: true }

export const setCommand = (): Command =>
  withRestart(
    apiCommand('set', 'set variables of a project')
      .usage('PROJECT NAME=VALUE… [options]')
      .argument('<project>')
      .argument(
        '[variables...]',
        'NAME=VALUE, or one NAME whose value is read from standard input or asked for',
      )
      .option('--secret', 'never show them again, and mask them in logs; what is a secret stays one')
      .option('--env-file <file>', 'variables of a file with a NAME=value on each line'),
  )
    .addHelpText(
      'after',
      '\nA secret does not belong into the command line: it would stay in the shell’s history, and others could see it\n' +
        'among the processes. Give its name alone:\n' +
        '  qd var set hello API_KEY --secret                  asks for it\n' +
        '  qd var set hello TLS_KEY --secret < key.pem        reads it, with all of its lines',
    )
    .action(set)

async function set(name: string, words: string[], options: SetOptions): Promise<void> {
  const { values, inCommandLine } = await givenValues(words, options)
  const settings = [...values].map(([variable, value]) => [
    variable,
    { value, ...(options.secret && { secret: true }) },
  ])
  const client = api(options)
  const body = { set: Object.fromEntries(settings) as Record<string, { value: string; secret?: true }> }
  const changed = await client.call(operations.changeVariables, { params: { name }, body })
  const secrets = new Set(changed.items.filter(({ secret }) => secret).map(item => item.name))
  if (inCommandLine.some(variable => secrets.has(variable))) hint(name)
  await tellChanged(client, name, { changed, what: `${[...values.keys()].join(', ')} set` }, options)
}

function hint(name: string): void {
  const { dim } = colours(process.stderr)
  process.stderr.write(
    `${dim(`That secret is in the shell’s history now; \`qd var set ${name} NAME --secret\` asks for it instead.`)}\n`,
  )
}
