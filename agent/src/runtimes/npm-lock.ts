/** npm's lock file: which one counts, and what of it decides which packages are installed. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { isObject, type JsonObject, readJson } from './node-manifest.ts'

/** npm takes the first that is there. */
const ours = ['npm-shrinkwrap.json', 'package-lock.json']
const others = { 'yarn.lock': 'yarn', 'pnpm-lock.yaml': 'pnpm', 'bun.lock': 'bun', 'bun.lockb': 'bun' }

export interface Lock {
  readonly file: string
  readonly identity: unknown
}

/** Null: there is none. Throws for another installer's: what it pins would be passed over in silence. */
export async function readLock(release: string): Promise<Lock | null> {
  for (const file of ours) {
    const content = await readJson(release, file)
    if (content) return { file, identity: lockIdentity(content) }
  }
  for (const [file, program] of Object.entries(others)) {
    if (!(await isThere(join(release, file)))) continue
    const remedy = 'run npm install and commit package-lock.json'
    throw new RunFault(
      'install_failed',
      `${file} is there, but of lock files only npm's is supported, not ${program}'s: ${remedy}.`,
    )
  }
  return null
}

/**
 * Without what is for development, and without the copies that it keeps of each `package.json` of the release: there a
 * new version number would look like another package.
 */
export function lockIdentity({ lockfileVersion, packages, dependencies }: JsonObject): unknown {
  if (!isObject(packages)) return [lockfileVersion, dependencies]
  const installed = Object.entries(packages).filter(
    ([path, entry]) => path.includes('node_modules/') && !(isObject(entry) && entry.dev === true),
  )
  return [lockfileVersion, Object.fromEntries(installed)]
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
