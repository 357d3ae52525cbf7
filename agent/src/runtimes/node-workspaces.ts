/** The packages of a release that are parts of it: they run from the release, and only their `package.json` counts. */
import { glob } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import type { JsonObject } from './node-manifest.ts'

const maxWorkspaces = 1000

/** As npm finds them: directories with a `package.json` that a pattern of `workspaces` matches. */
export async function workspacesOf(release: string, { workspaces }: JsonObject): Promise<string[]> {
  const given = (workspaces as JsonObject | undefined)?.packages ?? workspaces
  const patterns = Array.isArray(given) ? given.filter(each => typeof each === 'string') : []
  const wanted = patterns.filter(each => !each.startsWith('!')).map(manifestIn)
  const unwanted = patterns.flatMap(each => (each.startsWith('!') ? [manifestIn(each.slice(1))] : []))
  if (wanted.length === 0) return []
  const exclude = ['**/node_modules', '**/node_modules/**', '.node_modules-*/**', ...unwanted]
  const found = new Set<string>()
  for await (const file of glob(wanted, { cwd: release, exclude })) {
    if (file.startsWith('..') || file.startsWith('/')) throw outside(dirname(file))
    if (dirname(file) !== '.') found.add(dirname(file))
    if (found.size > maxWorkspaces) throw tooMany()
  }
  return [...found].toSorted()
}

const manifestIn = (pattern: string) => join(pattern, 'package.json')

const outside = (path: string) =>
  new RunFault('install_failed', `package.json has the workspace ${path}, which is outside the release.`)

const tooMany = () =>
  new RunFault('install_failed', `package.json has more than ${maxWorkspaces} workspaces.`)
