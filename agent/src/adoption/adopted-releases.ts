/**
 * The releases of an adopted project. They are laid out as those of any other, because environments are built from them
 * and it tells which are known; but what is in place is the working copy, and the environment behind the path that the
 * unit knows.
 */
import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Adoption, RunFault } from '@quarterdeck/contract'
import { headOf } from '../head-of.mjs'
import type { Layout } from '../layout.ts'
import { Releases, type ReleasesOptions } from '../releases.ts'

export class AdoptedReleases extends Releases {
  readonly #adopted: Adoption
  readonly #layout: Layout

  constructor(options: ReleasesOptions, adopted: Adoption) {
    super(options)
    this.#layout = options.layout
    this.#adopted = adopted
  }

  override current(): string | null {
    return headOf(join(this.#adopted.work, '.git')) ?? null
  }

  /** The working copy has moved already: what is left is the environment, in one rename. */
  override switchTo(sha: string): void {
    const environment = this.environmentOf(sha)
    if (!environment)
      throw new RunFault('release_failed', `There is no environment of ${sha} on this machine.`)
    putLink(this.#adopted.environment, seenAs(this.#adopted, this.#layout.environment(environment)))
  }

  /** It was there before us. */
  override removeCurrent(): void {}
}

/** The part of an environment that stands at the path which the unit knows: a venv as a whole, or its packages. */
export const seenAs = ({ environment: path }: Adoption, environment: string): string =>
  basename(path) === 'node_modules' ? join(environment, 'node_modules') : environment

/** A directory is never replaced: it is somebody's. */
export function putLink(path: string, target: string): void {
  if (linkAt(path) === target) return
  const made = `${path}.quarterdeck-new`
  rmSync(made, { force: true })
  symlinkSync(target, made)
  try {
    renameSync(made, path)
  } catch (error) {
    rmSync(made, { force: true })
    throw new RunFault('release_failed', `${path} cannot be replaced: it is no longer a link.`, {
      cause: error,
    })
  }
}

export const linkAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined
