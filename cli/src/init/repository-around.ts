/** The git repository that a directory is in already, if any. */
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { repository as repositorySchema } from '@quarterdeck/contract'
import { run } from './program.ts'

export interface Origin {
  host: string
  repository: string
}

export interface RepositoryAround {
  /** none: in no repository; unknown: git is not there, or does not tell. */
  state: 'none' | 'inside' | 'unknown'
  /** Of the working tree. */
  top?: string
  origin?: Origin
  /** Why it is not known. */
  reason?: string
}

export async function repositoryAround(directory: string): Promise<RepositoryAround> {
  const git = (...args: string[]) => run('git', ['-C', nearest(directory), ...args])
  const found = await git('rev-parse', '--show-toplevel')
  if (found.missing) return { state: 'unknown', reason: 'git is not installed' }
  if (found.code !== 0) {
    const isNone = found.stderr.includes('not a git repository')
    return isNone ? { state: 'none' } : { state: 'unknown', reason: found.stderr.trim() }
  }
  const url = (await git('config', '--get', 'remote.origin.url')).stdout.trim()
  const origin = originOf(url)
  return { state: 'inside', top: found.stdout.trim(), ...(origin && { origin }) }
}

/** As git writes it: https, ssh, or the short form of ssh. What else may stand in it, such as a password, is left out. */
export function originOf(url: string): Origin | undefined {
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([\w.-]+(?::\d+)?)\/(.+)$/.exec(url) ??
    /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/.exec(url) ??
    []
  const repository = path?.replace(/\/$/, '').replace(/\.git$/, '')
  return host && repositorySchema.safeParse(repository).success
    ? { host, repository: repository! }
    : undefined
}

/** The directory may still have to be made. */
const nearest = (directory: string): string =>
  lstatSync(directory, { throwIfNoEntry: false }) || dirname(directory) === directory
    ? directory
    : nearest(dirname(directory))
