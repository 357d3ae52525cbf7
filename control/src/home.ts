/** The home: one directory for everything that is kept, used by one process at a time. */
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Fault } from '@quarterdeck/contract'

/** What a running process tells others about itself. */
export interface Running {
  pid: number
  /** How it is reached from this machine. */
  address: string
  port: number
  domain: string
  started_at: string
}

export interface Home {
  readonly directory: string
  announce(running: Running): void
  release(): void
}

/** Creates the home if need be and takes it for this process. */
export function takeHome(directory: string): Home {
  prepare(directory)
  const lock = takeLock(directory)
  const runningFile = join(directory, 'running.json')
  return {
    directory,
    announce: running => writeFileSync(runningFile, `${JSON.stringify(running)}\n`, { mode: 0o600 }),
    release() {
      rmSync(runningFile, { force: true })
      lock.close()
    },
  }
}

/** What runs on this home. One that was killed has left its announcement behind: it no longer runs. */
export function runningOn(directory: string): Running | undefined {
  try {
    const running = JSON.parse(readFileSync(join(directory, 'running.json'), 'utf8')) as Running
    return isAlive(running.pid) ? running : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it is a file, not a directory',
  ENOSPC: 'no space is left on the disk',
}

function prepare(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Fault('home_unusable', `The home ${directory} cannot be used: ${reasons[code] ?? code}.`, {
      cause: error,
    })
  }
}

/**
 * The lock is SQLite's own on an otherwise empty file: the system drops it when the process ends, however it ends, so
 * that no stale lock can stand in the way.
 */
function takeLock(directory: string): DatabaseSync {
  const lock = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== 5) {
      throw new Fault(
        'home_unusable',
        `The home ${directory} cannot be locked: ${(error as Error).message}.`,
        { cause: error },
      )
    }
    const other = runningOn(directory)
    throw new Fault(
      'home_in_use',
      `The home ${directory} is in use by another process${other ? ` (pid ${other.pid}, port ${other.port})` : ''}.`,
      { cause: error },
    )
  }
}
