/** Files that are there whole or not at all, with the owner and mode that they are to have. */
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs'

export interface Rights {
  mode: number
  uid?: number
  gid?: number
}

export function writeWhole(path: string, text: string, { mode, uid = 0, gid = 0 }: Rights): void {
  const unfinished = `${path}.unfinished`
  // Not through a link that someone left there.
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', mode)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  setRights(unfinished, { mode, uid, gid })
  renameSync(unfinished, path)
}

export function setRights(path: string, { mode, uid = 0, gid = 0 }: Rights): void {
  chownSync(path, uid, gid)
  chmodSync(path, mode)
}

export function hasRights(stat: Stats | undefined, { mode, uid = 0, gid = 0 }: Rights): boolean {
  return stat !== undefined && (stat.mode & 0o7777) === mode && stat.uid === uid && stat.gid === gid
}

/** Undefined: nothing is there. */
export const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Undefined: there is no such file. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
