/** The key that secrets are encrypted with: 32 random bytes in the file `secret.key` of the home, for its owner alone. */
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '@quarterdeck/contract'

export const secretKeyName = 'secret.key'

const keyBytes = 32

export interface SecretKey {
  /** Tells keys apart without giving one away. */
  readonly id: string
  readonly bytes: Buffer
}

/** Undefined when there is none. */
export function readKey(home: string): SecretKey | undefined {
  const file = join(home, secretKeyName)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(`${file} cannot be read: ${(error as Error).message}.`, error)
  }
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== keyBytes) throw unusable(`${file} is not a key: it was cut off or changed.`)
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 12), bytes }
}

/** Makes one, whole or not at all, and never in place of another. */
export function makeKey(home: string): SecretKey {
  const file = join(home, secretKeyName)
  const partial = `${file}.new-${process.pid}`
  try {
    const handle = openSync(partial, 'wx', 0o600)
    writeSync(handle, `${randomBytes(keyBytes).toString('base64')}\n`)
    fsyncSync(handle)
    closeSync(handle)
    linkSync(partial, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw unusable(`${file} cannot be written: ${(error as Error).message}.`, error)
  } finally {
    rmSync(partial, { force: true })
  }
  return readKey(home)!
}

export const unusable = (detail: string, cause?: unknown): Fault =>
  new Fault('secret_key_unusable', detail, { cause })
