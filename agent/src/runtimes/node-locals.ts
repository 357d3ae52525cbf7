/** Packages that a `package.json` takes from the release by their path: there the content counts, not only the name. */
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { filePrint, treePrint } from './fingerprint.ts'
import { isInside } from './local-packages.ts'
import { localsOf, type Manifest, readManifest } from './node-manifest.ts'

const used = ['dependencies', 'optionalDependencies', 'peerDependencies']
const maxLocals = 1000

interface Named {
  readonly path: string
  /** Else it is there for development; npm looks at it even where it leaves it out. */
  readonly counts: boolean
}

/**
 * By path, with a print of the content; null for what does not count. Those that they name themselves are among them.
 * `release` is its real path. Throws `install_failed` for what leads out of it.
 */
export async function readLocals(
  release: string,
  manifests: readonly Manifest[],
  workspaces: readonly string[],
): Promise<Map<string, string | null>> {
  const prints = new Map<string, string | null>()
  const open = manifests.flatMap(namedIn)
  for (let next = open.shift(); next; next = open.shift()) {
    const { path, counts } = next
    const known = prints.get(path)
    if (workspaces.includes(path) || path === '.' || known || (known === null && !counts)) continue
    const real = await realIn(release, path)
    // Whoever names what is not there hears it from npm.
    if (real === null) continue
    prints.set(path, counts ? await printOf(release, real) : null)
    if (prints.size > maxLocals) throw refused(`more than ${maxLocals} packages of the release`)
    open.push(...(await namedBy(release, path)).map(each => ({ ...each, counts: each.counts && counts })))
  }
  return prints
}

const namedIn = (manifest: Manifest): Named[] => [
  ...localsOf(manifest, used).map(path => ({ path, counts: true })),
  ...localsOf(manifest, ['devDependencies']).map(path => ({ path, counts: false })),
]

async function realIn(release: string, path: string): Promise<string | null> {
  const outside = refused(`${path}, which is outside the release`)
  if (path.startsWith('..')) throw outside
  const real = await realpath(join(release, path)).catch(() => null)
  if (real !== null && !isInside(release, real)) throw outside
  return real
}

async function printOf(release: string, real: string): Promise<string> {
  if (!(await stat(real)).isDirectory()) return await filePrint(real)
  return (await treePrint(real, isNotOfPackage)) ?? release
}

export const isNotOfPackage = (path: string): boolean => /(^|\/)(node_modules|\.git)$/.test(path)

async function namedBy(release: string, path: string): Promise<Named[]> {
  if (!(await stat(join(release, path))).isDirectory()) return []
  const manifest = await readManifest(release, path)
  return manifest ? namedIn(manifest) : []
}

const refused = (what: string) => new RunFault('install_failed', `package.json names ${what}.`)
