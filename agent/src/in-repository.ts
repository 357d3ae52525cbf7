/** What a commit says of how it is started, in `deploy/quarterdeck.yaml`: it goes before the project's own settings. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type PlacedProject,
  type ProjectProcess,
  type RepositorySettings,
  RunFault,
  repositorySettings,
  repositorySettingsFile,
} from '@quarterdeck/contract'
import { parseDocument } from 'yaml'
import type { z } from 'zod'

const longestFile = 64 * 1024

/** The project as it is started from this release. `release` is where the commit is laid out. */
export function projectIn(release: string, project: PlacedProject): PlacedProject {
  const said = saidIn(release)
  if (!said) return project
  const { interpreter, before_restart, linked_paths, health } = said
  return {
    ...project,
    ...(interpreter !== undefined && { interpreter }),
    ...(before_restart !== undefined && { before_restart }),
    ...(health && { health }),
    // Units that were there before stay as their owner has them.
    ...(!project.adopted && { processes: processesIn(said, project) }),
    ...(!project.adopted && linked_paths && { linked_paths }),
  }
}

/** Null: the commit has no such file. Throws `release_failed`, and says where, for one that cannot be. */
export function saidIn(release: string): RepositorySettings | null {
  const text = textOf(join(release, repositorySettingsFile))
  if (text === undefined) return null
  const yaml = parseDocument(text)
  const [broken] = yaml.errors
  if (broken) throw refusal(broken.message.split('\n')[0]!.replace(/:$/, ''))
  const { data, error } = repositorySettings.safeParse(yaml.toJS({ maxAliasCount: 10 }) ?? {})
  if (error) throw refusal(issueText(error.issues[0]!))
  return data
}

/** In a phrase, for the log. */
export const phraseOf = (said: RepositorySettings): string => Object.keys(said).join(', ') || 'nothing'

/** The port is the operator's, and so is whether there is one. */
function processesIn({ start, processes }: RepositorySettings, project: PlacedProject): ProjectProcess[] {
  const said = processes ?? (start && [{ name: 'web', start, timer: null, socket: false }])
  if (!said) return project.processes
  const web = project.processes.find(({ name }) => name === 'web')
  return said.map(process => {
    if (process.name !== 'web') return { ...process, port: null }
    if (!web)
      throw refusal('it has a process web, and the project has no port; give it one with `qd project set`')
    const socket = processes ? process.socket : web.socket
    return { ...process, socket, port: web.port }
  })
}

/** Of a commit, which may bring anything under this name: neither a link nor a pipe is read. */
function textOf(file: string): string | undefined {
  let opened: number
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw refusal('it cannot be read: it must be a file of its own')
  }
  try {
    const found = fstatSync(opened)
    if (!found.isFile()) throw refusal('it is not a file')
    if (found.size > longestFile) throw refusal('it is longer than 64 KiB')
    return readFileSync(opened, 'utf8')
  } finally {
    closeSync(opened)
  }
}

function issueText({ path, message, ...issue }: z.core.$ZodIssue): string {
  const place = path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    return `${[...path, issue.keys[0]].map(String).join('.')} is no setting that a repository may have`
  }
  return place === '' ? message : `${place}: ${message}`
}

const refusal = (why: string) => new RunFault('release_failed', `${repositorySettingsFile}: ${why}.`)
