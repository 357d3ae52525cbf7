/** `qd incident template`: what is often written, under a name. */
import { type Impact, impact, operations } from '@quarterdeck/contract'
import { Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { itemsOf } from '../pages.ts'
import { table } from '../table.ts'
import { collect } from './open.ts'

interface SetOptions extends ApiOptions {
  title: string
  message: string
  impact?: Impact
  service?: string[]
}

export const templateCommand = (): Command =>
  new Command('template')
    .description('keep what is often written in incidents')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand())

const setCommand = (): Command =>
  apiCommand('set', 'keep a template under a name')
    .argument('<name>')
    .requiredOption('--title <text>', 'the name of the incident')
    .requiredOption('--message <text>', 'its first update, in Markdown')
    .addOption(new Option('--impact <impact>', 'how bad it is (default: minor)').choices(impact.options))
    .option('--service <id>', 'that it concerns; repeatable', collect)
    .action(set)

const listCommand = (): Command => apiCommand('list', 'list the templates').alias('ls').action(list)

const removeCommand = (): Command =>
  apiCommand('remove', 'remove a template').argument('<name>').action(remove)

async function set(name: string, options: SetOptions): Promise<void> {
  const { title, message, impact, service } = options
  const body = { title, body: message, impact, service_ids: service }
  const template = await api(options).call(operations.setIncidentTemplate, { params: { name }, body })
  if (options.json) printJson(template)
  else tell(`The template ${name} is kept: \`qd incident open --template ${name}\` uses it.`)
}

async function list(options: ApiOptions): Promise<void> {
  const client = api(options)
  const items = await itemsOf(query => client.call(operations.listIncidentTemplates, { query }))
  if (options.json) return printJson({ items })
  if (items.length === 0)
    process.stdout.write('There are no templates: `qd incident template set` makes one.\n')
  else
    process.stdout.write(
      table(
        [{ title: 'TEMPLATE' }, { title: 'IMPACT' }, { title: 'TITLE', flexible: true }],
        items.map(({ name, impact, title }) => [name, impact, title]),
      ),
    )
}

async function remove(name: string, options: ApiOptions): Promise<void> {
  await api(options).call(operations.removeIncidentTemplate, { params: { name } })
  if (options.json) printJson({ removed: name })
  else tell(`The template ${name} is removed.`)
}

const tell = (sentence: string) => process.stdout.write(`${colours(process.stdout).green('✓')} ${sentence}\n`)
