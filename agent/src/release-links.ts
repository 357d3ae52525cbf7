/**
 * Links from a release into `data/`, the only place that the service may write. The commit's tree and `data/` are both
 * written by others: nothing here goes through a link of theirs.
 */
import type { Stats } from 'node:fs'
import { cp, lstat, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { RunFault } from '@quarterdeck/contract'

interface Places {
  /** Where the release is being made. */
  readonly release: string
  readonly data: string
}

/** The release is made beside its final place, at the same depth, so that relative links stay right. */
export async function linkIntoData(places: Places, linkedPaths: readonly string[]): Promise<void> {
  const paths = linkedPaths.map(path => ({ parts: partsOf(path), isDirectory: path.endsWith('/') }))
  const outer = paths.filter(({ parts }) => !paths.some(other => isWithin(parts, other.parts)))
  const unique = new Map(outer.map(path => [path.parts.join('/'), path]))
  for (const { parts, isDirectory } of unique.values()) await link(places, parts, isDirectory)
}

function partsOf(path: string): string[] {
  const parts = path.split('/').filter(part => part !== '')
  const isInner = parts.length > 0 && !path.startsWith('/') && !parts.includes('..') && !parts.includes('.')
  if (!isInner) throw new RunFault('release_failed', `The linked path ${path} leads out of the release.`)
  return parts
}

/** What lies in a linked directory is in `data/` with it. */
const isWithin = (parts: readonly string[], outer: readonly string[]): boolean =>
  parts.length > outer.length && outer.every((part, index) => part === parts[index])

async function link(
  { release, data }: Places,
  parts: readonly string[],
  isDirectory: boolean,
): Promise<void> {
  const here = join(release, ...parts)
  const there = join(data, ...parts)
  const parents = parts.slice(0, -1)
  await makeParents(release, parents)
  if (!(await found(there))) {
    await makeParents(data, parents)
    await fill(here, there, isDirectory)
  }
  await rm(here, { recursive: true, force: true })
  await symlink(relative(dirname(here), there), here)
}

/** What the commit brings becomes the first content of `data/`, unless it is itself a link to who knows where. */
async function fill(here: string, there: string, isDirectory: boolean): Promise<void> {
  const brought = await found(here)
  if (brought?.isFile() || brought?.isDirectory()) await move(here, there)
  else if (isDirectory) await mkdir(there)
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    // `data/` may be another disk.
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false })
  }
}

/** Through links above it, because an operator may have put one into `data/`, to a larger disk. */
async function found(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function makeParents(root: string, parents: readonly string[]): Promise<void> {
  await mkdir(root, { recursive: true })
  let path = root
  for (const part of parents) {
    path = join(path, part)
    const existing = await found(path)
    if (existing === undefined) await mkdir(path)
    else if (!existing.isDirectory()) throw inTheWay(relative(root, path), existing)
  }
}

const inTheWay = (path: string, existing: Stats): RunFault => {
  const kind = existing.isSymbolicLink() ? 'a link' : 'a file'
  return new RunFault('release_failed', `A linked path leads through ${path}, which is ${kind}.`)
}
