/** The address of a repository as somebody gives it, and what it tells: a name, and what the forge calls it. */
import { resolve } from 'node:path'
import { projectCreate, repository as repositorySchema } from '@quarterdeck/contract'
import { GuidedFault } from '../../fail.ts'
import { originOf } from '../../init/repository-around.ts'
import { nameFrom } from '../../init/wish.ts'

export interface Address {
  /** As it is fetched. */
  gitUrl: string
  repository: string | undefined
  /** Empty: there is none that a project can have. */
  name: string
}

/** No project has such a name. */
export const isAddress = (text: string): boolean => /[/:]/.test(text) || text === '.' || text === '..'

export function addressOf(text: string): Address {
  const isLocal = !/^[\w.-]+@|^\w+:\/\//.test(text)
  const gitUrl = isLocal ? resolve(text) : text
  const { error } = projectCreate.shape.git_url.safeParse(gitUrl)
  if (error) {
    throw new GuidedFault(
      'invalid_fields',
      // It may hold a password, so it is not repeated.
      `That address cannot be: ${error.issues[0]!.message}.`,
      'For example: qd project add https://github.com/acme/hello.git',
    )
  }
  const path = gitUrl.replace(/^file:\/\//, '').replace(/\/+$/, '')
  const repository = originOf(gitUrl)?.repository ?? lastTwo(path)
  return { gitUrl, repository, name: nameFrom(nameIn(path)) }
}

const nameIn = (path: string): string =>
  path
    .split(/[/:]/)
    .at(-1)!
    .replace(/\.git$/, '')

/** Of a path on a disk; of what has more parts at a forge nobody knows which two are meant. */
function lastTwo(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined
  const two = path
    .replace(/\/?\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/')
  return repositorySchema.safeParse(two).success ? two : undefined
}
