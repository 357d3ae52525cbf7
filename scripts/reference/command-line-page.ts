/** Every command of `qd`, from the program itself. */
import { exitCodes } from '../../cli/src/fail.ts'
import { createProgram } from '../../cli/src/program.ts'
import { code, page, sentence, table } from './made-markdown.ts'

type Command = ReturnType<typeof createProgram>
type Option = Command['options'][number]
type Argument = Command['registeredArguments'][number]

/** Told once, for all. */
const everywhere = new Set(['--home', '--config', '--json', '--url', '--help'])

export function commandLinePage(): string {
  const commands = createProgram().commands.filter(command => command.name() !== 'help')
  return page(
    {
      title: 'Every command',
      description: 'The commands of qd with their arguments and options, made from the program.',
      order: 20,
    },
    `[The command line](../command-line.md) tells what they are for. Most commands take ${code('--json')}, ${code('--home DIRECTORY')} and either ${code('--config FILE')} or ${code('--url ADDRESS')} (with the token in ${code('QUARTERDECK_TOKEN')}, for an environment elsewhere).

${commands.map(command => described(command, 'qd')).join('\n\n')}

## Exit codes

${table(
  ['code', 'meaning'],
  exitCodes.map(({ code: number, meaning }) => [String(number), meaning]),
)}`,
  )
}

function described(command: Command, parent: string): string {
  const name = `${parent} ${command.name()}`
  const level = parent === 'qd' ? '##' : '###'
  const parts = [`${level} ${name}`, `${sentence(command.description())}.`]
  const children = command.commands.filter(child => child.name() !== 'help')
  if (children.length > 0) return [...parts, ...children.map(child => described(child, name))].join('\n\n')
  parts.push(`\`\`\`sh\n${`${name} ${usageOf(command)}`.trim()}\n\`\`\``)
  const rows = [
    ...command.registeredArguments.filter(({ description }) => description).map(argumentRow),
    ...command.options.filter(isOwn).map(optionRow),
  ]
  if (rows.length > 0) parts.push(table(['argument or option', 'what it says'], rows))
  return parts.join('\n\n')
}

const usageOf = (command: Command) =>
  command
    .usage()
    .replace(/^\[options\] ?/, command.options.some(isOwn) ? '[options] ' : '')
    .trim()

const isOwn = ({ long, hidden }: Option) => !hidden && !everywhere.has(long ?? '')

const argumentRow = (argument: Argument) => [code(argument.name()), argument.description]

function optionRow({ flags, description, defaultValue, argChoices }: Option): string[] {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : ''
  const usual =
    typeof defaultValue === 'string' || typeof defaultValue === 'number' ? ` (default: ${defaultValue})` : ''
  return [code(flags), `${description}${choices}${usual}`]
}
