/** `qd channel add`: where messages go. */
import { type ChannelKind, channelKinds, operations, type Severity, severities } from '@quarterdeck/contract'
import { Argument, type Command, Option } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { count } from '../numbers.ts'
import { type ApiOptions, apiCommand, port } from '../options.ts'
import { findChannel } from './find.ts'
import { secretOf } from './secret.ts'
import { type SettingOptions, secrets, settingsOf } from './settings.ts'

interface AddOptions extends ApiOptions, SettingOptions {
  secretStdin?: true
  replace?: true
  group?: string[]
  project?: string[]
  severity?: Severity[]
}

const [telegram, mail, routing] = ['Telegram:', 'E-mail:', 'What it hears of (default: everything):']
const many = (text: string, before: string[] = []) => [...before, text]

export const addCommand = (): Command => {
  const command = apiCommand('add', 'add a channel that messages go to')
    .argument('<name>')
    .addArgument(new Argument('<kind>', 'of service').choices(channelKinds))
    .option('--secret-stdin', 'read the bot’s token, the address or the password from standard input')
    .option('--replace', 'in place of the channel of that name, whose messages go on')
  const options = [
    new Option('--chat <number>', 'the chat that messages go to').helpGroup(telegram!),
    new Option('--thread <number>', 'the topic in that chat')
      .argParser(count(1, 2 ** 31))
      .helpGroup(telegram!),
    new Option('--user <number>', 'who may press buttons; may be repeated')
      .argParser(many)
      .helpGroup(telegram!),
    new Option('--actions', 'offer rollback and re-run').helpGroup(telegram!),
    new Option('--updates <how>', 'how buttons come')
      .choices(['poll', 'webhook', 'none'])
      .helpGroup(telegram!),
    new Option('--api-url <address>', 'of a Bot API server of one’s own').helpGroup(telegram!),
    new Option('--host <name>', 'the mail server').helpGroup(mail!),
    new Option('--port <number>', 'of the mail server (default: 587)').argParser(port).helpGroup(mail!),
    new Option('--tls <how>', 'default: starttls').choices(['starttls', 'implicit', 'none']).helpGroup(mail!),
    new Option('--smtp-user <name>', 'who signs in there; the password is the secret').helpGroup(mail!),
    new Option('--from <address>', 'where mails come from').helpGroup(mail!),
    new Option('--to <address>', 'where they go; may be repeated').argParser(many).helpGroup(mail!),
    new Option('--group <name>', 'may be repeated').argParser(many).helpGroup(routing!),
    new Option('--project <name>', 'may be repeated').argParser(many).helpGroup(routing!),
    new Option('--severity <word>', `${severities.join(', ')}; may be repeated`)
      .argParser(many)
      .helpGroup(routing!),
  ]
  for (const option of options) command.addOption(option)
  return command.action(add)
}

async function add(name: string, kind: ChannelKind, options: AddOptions): Promise<void> {
  const what = secrets[kind](options)
  const settings = settingsOf(kind, options, what && (await secretOf(what, options.secretStdin ?? false)))
  const { group = [], project = [], severity = [] } = options
  const body = { name, settings, routes: { groups: group, projects: project, severities: severity } } as never
  const client = api(options)
  const made = options.replace
    ? await client.call(operations.replaceChannel, {
        params: { id: (await findChannel(client, name)).id },
        body,
      })
    : await client.call(operations.createChannel, { body })
  if (options.json) return printJson(made)
  const { green } = colours(process.stderr)
  process.stderr.write(
    `${green('✓')} Messages go to ${name} (${made.place}) from now on. \`qd channel test ${name}\` sends a drill.\n`,
  )
  if (made.secret === null) return
  process.stderr.write('They are signed with the secret below, which is shown this once only.\n')
  process.stdout.write(`${made.secret}\n`)
}
