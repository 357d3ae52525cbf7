/** Lock files that a killed git has left in a repository. git itself would refuse to go on, for good. */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const graceMs = 1000
const pauseMs = 50

/**
 * No run is using the repository: the caller sees to that. A person may, so a lock gets a moment to go by itself; git
 * holds one for milliseconds. Says which were removed.
 */
export async function removeStaleLocks(gitDirectory: string): Promise<string[]> {
  const found = locksIn(gitDirectory)
  for (let waitedMs = 0; waitedMs < graceMs && found.some(isStillThere); waitedMs += pauseMs) {
    await wait(pauseMs)
  }
  const stale = found.filter(isStillThere).map(({ path }) => path)
  for (const path of stale) rmSync(path, { force: true })
  return stale.map(path => relative(gitDirectory, path))
}

interface Lock {
  readonly path: string
  readonly inode: number | undefined
}

function locksIn(gitDirectory: string): Lock[] {
  const paths = [
    ...namesIn(gitDirectory),
    ...namesIn(join(gitDirectory, 'refs'), true),
    ...namesIn(join(gitDirectory, 'objects', 'info'), true),
    ...namesIn(join(gitDirectory, 'reftable')),
  ]
  return paths.filter(path => path.endsWith('.lock')).map(path => ({ path, inode: inodeOf(path) }))
}

function namesIn(directory: string, recursive = false): string[] {
  try {
    return readdirSync(directory, { recursive }).map(name => join(directory, String(name)))
  } catch {
    return []
  }
}

const isStillThere = (lock: Lock): boolean => lock.inode !== undefined && inodeOf(lock.path) === lock.inode

const inodeOf = (path: string): number | undefined => lstatSync(path, { throwIfNoEntry: false })?.ino
