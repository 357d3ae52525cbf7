/** Files that are there whole or not at all, and on disk when the call returns. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Without an owner it is the agent's. */
export function writeWhole(
  path: string,
  text: string,
  mode: number,
  owner?: { readonly uid: number; readonly gid: number },
): void {
  const temporary = `${path}.new`
  // Whatever stands there is a leftover of ours; a link would lead the text elsewhere.
  rmSync(temporary, { force: true })
  const file = openSync(temporary, 'wx', mode)
  try {
    fchmodSync(file, mode)
    if (owner) fchownSync(file, owner.uid, owner.gid)
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  keepNames(dirname(path))
}

export function removeFile(path: string): void {
  rmSync(path, { force: true })
  keepNames(dirname(path))
}

/** A new name is on disk only after its directory is. */
function keepNames(directory: string): void {
  const opened = openSync(directory, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
