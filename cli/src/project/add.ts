/** `qd project add`: from options, from a whole document, or from what the repository at an address holds. */
import {
  Fault,
  operations,
  type Project,
  type ProjectCreate,
  type RepositoryAccess,
  remoteOf,
} from '@quarterdeck/contract'
import type { Command } from 'commander'
import { type Api, api } from '../api.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { added } from './added.ts'
import { readDocument } from './document-file.ts'
import { isAddress } from './guess/address.ts'
import { type Looked, lookAt } from './guess/look.ts'
import { namesProcesses, wantedProcesses } from './processes.ts'
import { plainSettings, type SettingOptions, withSettings } from './settings.ts'

type AddOptions = ApiOptions & SettingOptions & { file?: string; name?: string; yes?: true }
type Wanted = Parameters<typeof wantedProcesses>[1]

export const addCommand = (): Command =>
  withSettings(
    apiCommand('add', 'add a project: from its repository, or from what options say')
      .usage('ADDRESS [options] [-- START…], or NAME --repository OWNER/REPO --git URL [options] -- START…')
      .argument(
        '<address|name>',
        'of its repository, which is looked at; or a name: lower-case letters, digits and hyphens',
      )
      .argument('[start...]', 'after --: program and arguments of its web process'),
    true,
  )
    .option('--name <name>', 'with an address: another name than that of the repository')
    .option('--yes', 'with an address: ask nothing')
    .option('--file <file>', 'the whole document as JSON, - for standard input; options change it')
    .action(add)

async function add(first: string, start: string[], options: AddOptions): Promise<void> {
  const client = api(options)
  const looked = isAddress(first) ? await lookAt(first, { ...options, start }) : { name: first, given: {} }
  if (!looked) return
  const body = await documentOf(looked, { ...options, start })
  const project = await client.call(operations.createProject, { body })
  const access = await madeAccess(client, project)
  if (options.json) printJson(project)
  else process.stdout.write(await added(client, project, access))
}

/** By ssh it is most often a private one: its key is there at once. What fails then can be done later. */
async function madeAccess(
  { call }: Api,
  { name, git_url, adopted }: Project,
): Promise<RepositoryAccess | null> {
  // What was adopted is fetched as its owner does it.
  if (adopted || remoteOf(git_url)?.kind !== 'ssh') return null
  try {
    return await call(operations.createDeployKey, { params: { name } })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    process.stderr.write(
      `The project was added, but its deploy key could not be made: ${plain(error.message)}\n  ${error.entry.remedy} Then: qd project access ${name} --new-key\n`,
    )
    return null
  }
}

async function documentOf(
  { name, given: found }: Looked,
  options: AddOptions & Wanted,
): Promise<ProjectCreate> {
  const given = { ...found, ...(options.file ? await readDocument(options.file) : {}) }
  const { start, port, processes, ...rest } = given
  const document = {
    runtime: 'python',
    ...rest,
    ...plainSettings(options),
    ...(options.limit && { limits: { ...rest.limits, ...options.limit } }),
    name,
    ...processesOf(given, options),
  }
  const missing = [!document.repository && '--repository', !document.git_url && '--git'].filter(Boolean)
  if (missing.length > 0) {
    throw new GuidedFault(
      'invalid_fields',
      `A project needs ${missing.join(' and ')}.`,
      'For example: qd project add hello --repository acme/hello --git https://github.com/acme/hello.git -- python -m app',
    )
  }
  // Control checks it, and names each field that cannot be.
  return document as unknown as ProjectCreate
}

/** In the short form where there is only a web process. */
function processesOf(given: Partial<ProjectCreate>, options: Wanted): object {
  const there =
    given.processes ?? (given.start ? [{ name: 'web', start: given.start, port: given.port }] : [])
  if (!namesProcesses(options)) {
    if (there.length > 0) return { processes: there }
    throw new GuidedFault(
      'invalid_fields',
      'Nothing says how the project is started.',
      'Give its start command after `--`, such as `-- python -m app`, or workers with --process.',
    )
  }
  return { processes: wantedProcesses(there as never, options) }
}
