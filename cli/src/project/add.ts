/** `qd project add`: from options, or from a whole document. */
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
import { namesProcesses, wantedProcesses } from './processes.ts'
import { plainSettings, type SettingOptions, withSettings } from './settings.ts'

type AddOptions = ApiOptions & SettingOptions & { file?: string }
type Wanted = Parameters<typeof wantedProcesses>[1]

export const addCommand = (): Command =>
  withSettings(
    apiCommand('add', 'add a project; its start command stands after --')
      .usage('NAME --repository OWNER/REPO --git URL [options] -- START…')
      .argument('<name>', 'lower-case letters, digits and hyphens')
      .argument('[start...]', 'after --: program and arguments of its web process'),
    true,
  )
    .option('--file <file>', 'the whole document as JSON, - for standard input; options change it')
    .action(add)

async function add(name: string, start: string[], options: AddOptions): Promise<void> {
  const client = api(options)
  const body = await documentOf(name, { ...options, start })
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

async function documentOf(name: string, options: AddOptions & Wanted): Promise<ProjectCreate> {
  const given = options.file ? await readDocument(options.file) : {}
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
