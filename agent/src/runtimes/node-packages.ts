/** Everything in a release that decides what a Node environment holds, gathered from `package.json` on. */
import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { treePrint } from './fingerprint.ts'
import { readLocals } from './node-locals.ts'
import {
  countOf,
  type Manifest,
  manifestIdentity,
  readInside,
  readManifest,
  scriptsOf,
} from './node-manifest.ts'
import { workspacesOf } from './node-workspaces.ts'
import { type Lock, readLock } from './npm-lock.ts'
import { settingLines } from './npm-settings.ts'

export interface NodePackages {
  /** The files that were read, by their path in the release. */
  readonly lists: readonly string[]
  readonly count: number
  readonly empty: boolean
  readonly lock: Lock | null
  /** Directories of the release that are packages of it. */
  readonly workspaces: readonly string[]
  /** Packages in the release that are named by their path; files and directories. */
  readonly locals: readonly string[]
  /** The project has install scripts of its own, which may read any file of it. */
  readonly runsScripts: boolean
  readonly identity: unknown
}

const nothing: NodePackages = {
  lists: [],
  count: 0,
  empty: true,
  lock: null,
  workspaces: [],
  locals: [],
  runsScripts: false,
  identity: [],
}

/** Without a `package.json` that asks for something there is nothing to install. Throws `install_failed`. */
export async function readPackages(given: string): Promise<NodePackages> {
  const release = await realpath(given)
  const root = await readManifest(release, '')
  if (!root) return nothing
  const workspaces = await workspacesOf(release, root.content)
  const manifests = [
    root,
    ...(await Promise.all(workspaces.map(path => readManifest(release, path)))),
  ].filter(manifest => manifest !== null)
  const count = manifests.reduce((sum, manifest) => sum + countOf(manifest), 0)
  const runsScripts = await hasScripts(release, manifests)
  if (count === 0 && workspaces.length === 0 && !runsScripts) return nothing
  const [lock, settings] = [await readLock(release), await readInside(release, '.npmrc')]
  const locals = await readLocals(release, manifests, workspaces)
  const lists = manifests.map(({ directory }) => join(directory, 'package.json'))
  return {
    lists: [...lists, ...(lock ? [lock.file] : []), ...(settings === null ? [] : ['.npmrc'])],
    count,
    empty: false,
    lock,
    workspaces,
    locals: [...locals.keys()],
    runsScripts,
    identity: sorted([
      manifests.map(manifestIdentity),
      lock?.identity ?? null,
      settingLines(settings ?? ''),
      Object.fromEntries([...locals].filter(([, print]) => print !== null)),
      runsScripts ? ((await treePrint(release, isNotOfCommit)) ?? release) : null,
    ]),
  }
}

/** What a release has beyond its commit, or an environment beyond its packages: no install script may count on it. */
export const isNotOfCommit = (path: string): boolean =>
  /^(REVISION|\.complete|\.quarterdeck[^/]*|\.venv|\.node_modules-[^/]*)$/.test(path) ||
  /(^|\/)(node_modules|\.git)$/.test(path)

async function hasScripts(release: string, manifests: readonly Manifest[]): Promise<boolean> {
  if (manifests.some(({ content }) => scriptsOf(content).length > 0)) return true
  // npm builds it even without a script.
  const gyps = manifests.map(({ directory }) =>
    stat(join(release, directory, 'binding.gyp')).catch(() => null),
  )
  return (await Promise.all(gyps)).some(found => found !== null)
}

/** The order of names says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([name, each]) => [name, sorted(each)])
}
