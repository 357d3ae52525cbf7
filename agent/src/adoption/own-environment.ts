/**
 * The environment that was there before: kept beside its path, which becomes a link. Its programs name that path in their
 * first line, so they work whenever the link leads to it.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Adoption } from '@quarterdeck/contract'
import type { Layout } from '../layout.ts'
import { linkAt, putLink, seenAs } from './adopted-releases.ts'

/** Its name among the environments of the project; no hash is called so, and it is never pruned. */
export const ownEnvironment = 'adopted'

const keptAt = ({ environment }: Adoption) => `${environment}.adopted`

/** Nothing that runs notices: the path leads to the same files all along, but for a moment between two renames. */
export function keepOwnEnvironment(adopted: Adoption, layout: Layout): void {
  const { environment: path } = adopted
  const kept = linkAt(path) === undefined ? keptAt(adopted) : realpathSync(path)
  const inside = seenAs(adopted, layout.environment(ownEnvironment))
  mkdirSync(dirname(inside), { recursive: true })
  if (linkAt(inside) === undefined) symlinkSync(kept, inside)
  if (isDirectory(path)) renameSync(path, kept)
  putLink(path, inside)
}

/** After a crash between the two renames: as it was. */
export function restoreOwnEnvironment(adopted: Adoption): void {
  const { environment: path } = adopted
  if (!lstatSync(path, { throwIfNoEntry: false }) && existsSync(keptAt(adopted)))
    renameSync(keptAt(adopted), path)
}

const isDirectory = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
