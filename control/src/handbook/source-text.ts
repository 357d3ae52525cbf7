/** Reads a file of a source: a regular one, not too large, and text. A link is never followed. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Why a file is left out, in words that follow its name. */
export class Unreadable extends Error {}

export async function readText(file: string, limit: number): Promise<string> {
  const bytes = await readBytes(file, limit)
  if (bytes.includes(0)) throw new Unreadable('is binary, not text: left out')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable('is not UTF-8: left out')
  }
}

export async function readBytes(file: string, limit: number): Promise<Buffer> {
  let handle: FileHandle | undefined
  try {
    // Without waiting: a pipe of that name would hold us for ever.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Unreadable('is not a regular file: left out')
    if (stat.size > limit)
      throw new Unreadable(`has ${sizeOf(stat.size)}, and ${sizeOf(limit)} at most are taken: left out`)
    return await handle.readFile()
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(reasonOf(error as NodeJS.ErrnoException))
  } finally {
    await handle?.close()
  }
}

const sizeOf = (bytes: number) =>
  bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${Math.round(bytes / 1024)} KiB`

const reasonOf = ({ code }: NodeJS.ErrnoException) =>
  code === 'ELOOP' ? 'is a symbolic link: left out' : `cannot be read (${code})`
