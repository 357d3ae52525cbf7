/** Files where there were none: nothing is ever written over, and all are written or none. */
import { lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Fault } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'

export interface NewFile {
  /** Below the directory. */
  path: string
  content: string | Uint8Array
  executable?: boolean
}

export function refuseCollisions(directory: string, paths: readonly string[]): void {
  const found = [...new Set(paths.flatMap(path => inTheWay(directory, path)))].sort()
  if (found.length === 0) return
  throw new GuidedFault(
    'target_exists',
    `Nothing was written: ${found.length === 1 ? 'one path is' : `${found.length} paths are`} taken in ${directory}.`,
    'Move them away, or begin in another directory and take over what you need.',
    { fields: found.map(field => ({ field, message: 'is there already' })) },
  )
}

/** The file itself, or what stands where one of its directories must be; a link may lead anywhere. */
function inTheWay(directory: string, path: string): string[] {
  const parts = path.split('/')
  for (let depth = 0; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/')
    const found = lstatSync(join(directory, part), { throwIfNoEntry: false })
    if (!found) return []
    const isParent = depth < parts.length
    if (depth === 0 && found.isSymbolicLink()) continue
    if (!isParent || !found.isDirectory()) return [part || directory]
  }
  return []
}

export function writeNew(directory: string, files: readonly NewFile[]): void {
  const undo: (() => void)[] = []
  try {
    makeDirectory(directory, undo)
    for (const { path, content, executable } of files) {
      const file = join(directory, path)
      makeDirectory(dirname(file), undo)
      writeFileSync(file, content, { flag: 'wx', mode: executable ? 0o777 : 0o666 })
      undo.push(() => rmSync(file))
    }
  } catch (error) {
    for (const step of undo.reverse()) step()
    throw unwritable(directory, error)
  }
}

function makeDirectory(directory: string, undo: (() => void)[]): void {
  if (lstatSync(directory, { throwIfNoEntry: false })) return
  makeDirectory(dirname(directory), undo)
  mkdirSync(directory)
  undo.push(() => rmdirSync(directory))
}

function unwritable(directory: string, error: unknown): Fault {
  const { code, message } = error as NodeJS.ErrnoException
  if (!code) throw error
  return new GuidedFault(
    'target_exists',
    `The project cannot be written to ${directory}: ${message}. What was written before was removed.`,
    'Begin in a directory that you may write, with enough space.',
    { cause: error },
  )
}
