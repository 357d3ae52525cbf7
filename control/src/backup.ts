/**
 * A backup is a directory: the database as one SQLite file, whatever engine it came from, the files of the home that
 * cannot be made again, and a list of all with their checksums.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { secretKeyName } from '#secrets'
import { copyStore, migrationLevel, type Store } from '#store'

const databaseName = 'database.sqlite'
const manifestName = 'manifest.json'
/** Besides the database. Without the key, what is sealed in the database could never be read again. */
const keptFiles = ['quarterdeck.yaml', 'operator.token', secretKeyName]
/** What people write for the metrics server; the shipped rules beside them are made anew. */
const keptFolders = ['rules', 'scrape']
const isKept = (name: string) =>
  keptFiles.includes(name) ||
  (/^(rules|scrape)\/[\w-][\w.-]*\.ya?ml$/.test(name) && name !== 'rules/quarterdeck.yml')

export interface Manifest {
  schema: 1
  created_at: string
  /** The commit of the program that made it. */
  sha: string
  /** SHA-256 by file name. */
  files: Record<string, string>
}

/** A SQLite file, migrated up to the given number, or to the newest. */
type OpenFile = (file: string, upTo?: number) => Promise<Store>

export interface BackupOptions {
  store: Store
  openFile: OpenFile
  home: string
  target: string
  sha: string
  clock: Clock
}

/** The directory appears under its name only when it is whole. Others may go on writing meanwhile. */
export async function backup({
  store,
  openFile,
  home,
  target,
  sha,
  clock,
}: BackupOptions): Promise<Manifest> {
  if (existsSync(target)) throw new Fault('target_exists', `${target} already exists.`)
  const partial = join(dirname(target), `.${basename(target)}.partial-${process.pid}`)
  try {
    mkdirSync(partial, { recursive: true, mode: 0o700 })
    const copy = await openFile(join(partial, databaseName), await migrationLevel(store))
    await copyStore(store, copy).finally(() => copy.close())
    const kept = keptIn(home)
    for (const name of kept) copyInto(partial, home, name)
    const manifest: Manifest = {
      schema: 1,
      created_at: clock.now().toISOString(),
      sha,
      files: checksums(partial, [databaseName, ...kept]),
    }
    writeFileSync(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`)
    for (const name of [...Object.keys(manifest.files), manifestName]) chmodSync(join(partial, name), 0o600)
    renameSync(partial, target)
    return manifest
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw diskFault(error, target)
  }
}

export interface RestoreOptions {
  store: Store
  openFile: OpenFile
  home: string
  source: string
}

/** Fills an empty home and its empty database. A file that the home already has is left as it is. */
export async function restore({ store, openFile, home, source }: RestoreOptions): Promise<Manifest> {
  const manifest = verify(source)
  const scratch = mkdtempSync(join(tmpdir(), 'quarterdeck-restore-'))
  try {
    // Opening migrates, and a backup is never changed.
    copyFileSync(join(source, databaseName), join(scratch, databaseName))
    const copy = await openFile(join(scratch, databaseName))
    await copyStore(copy, store).finally(() => copy.close())
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  for (const name of Object.keys(manifest.files)) {
    if (isKept(name) && !existsSync(join(home, name))) copyInto(home, source, name)
  }
  return manifest
}

function verify(source: string): Manifest {
  const manifest = readManifest(source)
  for (const [name, checksum] of Object.entries(manifest.files)) {
    const file = join(source, isKept(name) ? name : basename(name))
    if (!existsSync(file)) throw new Fault('backup_invalid', `${file} is missing.`)
    if (checksumOf(file) !== checksum)
      throw new Fault('backup_invalid', `${file} is not as it was when the backup was made.`)
  }
  return manifest
}

function readManifest(source: string): Manifest {
  const file = join(source, manifestName)
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    if (manifest.schema === 1 && manifest.files[databaseName]) return manifest
  } catch (error) {
    throw new Fault('backup_invalid', `${file} cannot be read (${(error as Error).message}).`, {
      cause: error,
    })
  }
  throw new Fault('backup_invalid', `${file} is not the list of a backup.`)
}

const checksums = (directory: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [name, checksumOf(join(directory, name))]))

/** Regular files alone: where a link leads is not the home's. */
function keptIn(home: string): string[] {
  const inFolders = keptFolders.flatMap(folder => {
    const path = join(home, folder)
    if (!existsSync(path)) return []
    return readdirSync(path, { withFileTypes: true }).flatMap(entry =>
      entry.isFile() ? [`${folder}/${entry.name}`] : [],
    )
  })
  return [...keptFiles.filter(name => existsSync(join(home, name))), ...inFolders.filter(isKept)]
}

function copyInto(target: string, source: string, name: string): void {
  mkdirSync(dirname(join(target, name)), { recursive: true, mode: 0o700 })
  copyFileSync(join(source, name), join(target, name))
}

const checksumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

function diskFault(error: unknown, target: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new Fault('store_full', `No space is left for ${target}.`, { cause: error })
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new Fault('home_unusable', `${target} cannot be written (${code}).`, { cause: error })
  }
  return error
}
