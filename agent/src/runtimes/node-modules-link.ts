/**
 * `node_modules` in a release: node looks for packages from the file that asks upwards, so they must be found there. It
 * is a link into the environment; where the release has workspaces, one to a directory of links, since those run from
 * the release and the environment knows only their `package.json`.
 */
import { mkdir, readdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { readManifest } from './node-manifest.ts'
import { workspacesOf } from './node-workspaces.ts'
import { isFree, putLink } from './release-link.ts'

/** Throws `install_failed` where the commit brings a `node_modules` of its own. */
export async function refuseOwnModules(release: string, environments: string): Promise<void> {
  if (!(await isFree(join(release, 'node_modules'), ours(release, environments)))) throw ownModules()
}

export async function linkModules(release: string, environment: string): Promise<void> {
  const modules = join(environment, 'node_modules')
  const prefixes = ours(release, dirname(environment))
  const link = join(release, 'node_modules')
  if (!(await isDirectory(modules))) {
    // Without dependencies a commit may bring what it likes.
    if (await isFree(link, prefixes)) await rm(link, { force: true })
    return
  }
  const manifest = await readManifest(await realpath(release), '')
  const workspaces = manifest ? await workspacesOf(release, manifest.content) : []
  const target = workspaces.length === 0 ? modules : await makeLinks(release, environment, workspaces)
  if (!(await putLink(link, target, prefixes))) throw ownModules()
  for (const workspace of workspaces) {
    const inner = join(environment, workspace, 'node_modules')
    if (await isDirectory(inner)) await putLink(join(release, workspace, 'node_modules'), inner, prefixes)
  }
}

const linksPrefix = '.node_modules-'

const ours = (release: string, environments: string) => [`${environments}/`, join(release, linksPrefix)]

/** Once for an environment: what is in it never changes. */
async function makeLinks(release: string, environment: string, workspaces: readonly string[]) {
  const directory = join(release, linksPrefix + basename(environment))
  if (await isDirectory(directory)) return directory
  const made = `${directory}.new`
  await rm(made, { recursive: true, force: true })
  const real = await realpath(environment)
  const inRelease = new Map(workspaces.map(path => [join(real, path), join(release, path)]))
  await linkEach(join(environment, 'node_modules'), made, directory, inRelease)
  await rename(made, directory)
  return directory
}

/** Links to each package of `from`; `place` is where `made` will be. */
async function linkEach(from: string, made: string, place: string, inRelease: ReadonlyMap<string, string>) {
  await mkdir(made)
  for (const name of await readdir(from)) {
    const [source, link] = [join(from, name), join(made, name)]
    if (name.startsWith('@')) await linkEach(source, link, join(place, name), inRelease)
    else {
      const real = await realpath(source).catch(() => source)
      await symlink(relative(place, inRelease.get(real) ?? source), link)
    }
  }
}

const isDirectory = (path: string) =>
  stat(path).then(
    status => status.isDirectory(),
    () => false,
  )

const ownModules = () =>
  new RunFault(
    'install_failed',
    'The commit has a node_modules of its own, where the installed packages belong: remove it from the repository.',
  )
