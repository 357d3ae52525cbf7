/** Fingerprints of files that a dependency list names, for the identity of an environment. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Past these a tree is told apart by its place alone, see `treePrint`. */
const maxFiles = 20_000
const maxBytes = 512 * 1024 * 1024

/** 32 digits are enough that two never meet, and keep paths short. */
export function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}

export async function filePrint(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/**
 * Of a directory's files, by name and content; links by where they lead. Null when there is too much to read before
 * every deploy: then the caller takes the release's own name, which is right too, and only builds more often.
 */
export async function treePrint(
  directory: string,
  isLeftOut: (path: string) => boolean = isByproduct,
): Promise<string | null> {
  const hash = createHash('sha256')
  const left = { files: maxFiles, bytes: maxBytes, isLeftOut }
  return (await addTree(hash, directory, '', left)) ? hash.digest('hex') : null
}

interface Left {
  files: number
  bytes: number
  readonly isLeftOut: (path: string) => boolean
}

async function addTree(hash: Hash, root: string, under: string, left: Left): Promise<boolean> {
  const entries = await readdir(join(root, under), { withFileTypes: true })
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(under, entry.name)
    if (left.isLeftOut(path)) continue
    if (
      entry.isDirectory()
        ? !(await addTree(hash, root, path, left))
        : !(await addFile(hash, root, path, left))
    )
      return false
  }
  return true
}

async function addFile(hash: Hash, root: string, path: string, left: Left): Promise<boolean> {
  const file = join(root, path)
  const status = await lstat(file)
  left.files--
  left.bytes -= status.size
  if (left.files < 0 || left.bytes < 0) return false
  const content = status.isSymbolicLink()
    ? `-> ${await readlink(file)}`
    : status.isFile()
      ? `${status.mode & 0o111 ? 'x' : '-'} ${await filePrint(file)}`
      : 'special'
  hash.update(`${JSON.stringify(path)} ${content}\n`)
  return true
}

/** What building a package, or `attach`, leaves. With it, the same release would need another environment then. */
function isByproduct(path: string): boolean {
  return (
    /(^|\/)(__pycache__|\.git|\.venv|\.quarterdeck-(environment|variables)|[^/]*\.egg-info)$/.test(path) ||
    /(^|\/)build\/(lib|bdist\.|temp\.)/.test(path)
  )
}
