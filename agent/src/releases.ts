/** The releases of a project on this machine: made beside their place and renamed, never changed, switched in one rename. */
import {
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { type PlacedProject, RunFault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { layOut } from './commands/git.ts'
import type { GitPlace } from './commands/git-call.ts'
import { type Run, runGit } from './git-fault.ts'
import { projectIn } from './in-repository.ts'
import type { Layout } from './layout.ts'
import { linkIntoData } from './release-links.ts'
import { addToNote, type ReleaseNote, readNote } from './release-notes.ts'
import { type Pruned, type PruneRules, pruneReleases } from './release-pruning.ts'
import { removeTree } from './remove-tree.ts'

const wholeId = /^([0-9a-f]{40}|[0-9a-f]{64})$/

export interface ReleasesOptions {
  readonly layout: Layout
  readonly git: GitPlace
  readonly clock: Clock
}

export class Releases {
  readonly #layout: Layout
  readonly #git: GitPlace
  readonly #clock: Clock

  constructor({ layout, git, clock }: ReleasesOptions) {
    this.#layout = layout
    this.#git = git
    this.#clock = clock
  }

  /** Whether the commit has a release: one that is there is complete. */
  has(sha: string): boolean {
    return lstatSync(this.#place(sha), { throwIfNoEntry: false })?.isDirectory() === true
  }

  /** Lays the commit's files out as a release. One that is there already is left as it is. */
  async make(sha: string, run: Run, project: PlacedProject): Promise<void> {
    if (this.has(sha)) return
    const made = join(this.#layout.releases, `.new-${sha}`)
    const index = `${made}.index`
    try {
      await removeTree(made)
      mkdirSync(made, { recursive: true, mode: 0o755 })
      const { identity } = this.#git
      if (identity) chownSync(made, identity.uid, identity.gid)
      await this.#layOut(sha, run, made, index)
      const { linked_paths } = projectIn(made, project)
      await linkIntoData({ release: made, data: this.#layout.data }, linked_paths)
      writeRevision(made, sha)
      addToNote(this.#note(sha), { made_at: this.#clock.now().toISOString() })
      renameSync(made, this.#place(sha))
      syncDirectory(this.#layout.releases)
    } catch (error) {
      throw asFault(error)
    } finally {
      await removeTree(made)
      rmSync(index, { force: true })
    }
  }

  /** The commit that is in place; null: none, or `current` is not ours. */
  current(): string | null {
    try {
      const target = readlinkSync(this.#layout.current)
      const sha = basename(target)
      return wholeId.test(sha) && join(dirname(this.#layout.current), target) === this.#place(sha)
        ? sha
        : null
    } catch {
      return null
    }
  }

  /** `current` is always a link to one release or the other. */
  switchTo(sha: string): void {
    const { current, root } = this.#layout
    if (!this.has(sha)) throw new RunFault('release_failed', `There is no release of ${sha} on this machine.`)
    rmSync(`${current}.new`, { recursive: true, force: true })
    symlinkSync(join('releases', sha), `${current}.new`)
    try {
      renameSync(`${current}.new`, current)
    } catch (error) {
      throw new RunFault('release_failed', `${current} cannot be replaced: it is not a link.`, {
        cause: error,
      })
    }
    syncDirectory(root)
  }

  /** Takes a first deploy back: nothing is in place. */
  removeCurrent(): void {
    rmSync(this.#layout.current, { force: true })
    syncDirectory(this.#layout.root)
  }

  /** Before it is proved: so that the environment is not taken for unused. Null: it needs none. */
  uses(sha: string, environment: string | null): void {
    addToNote(this.#note(sha), { environment })
    if (environment !== null) linkTo(environmentIn(this.#place(sha)), this.#layout.environment(environment))
  }

  verified(sha: string, environment: string | null): void {
    addToNote(this.#note(sha), { environment, verified_at: this.#clock.now().toISOString() })
  }

  /** Undefined: not known. Null: it needs none. */
  environmentOf(sha: string): string | null | undefined {
    return this.noteOf(sha).environment
  }

  noteOf(sha: string): ReleaseNote {
    return readNote(this.#note(sha))
  }

  /** Removes what is no longer kept. The caller sees to it that no run of the project is under way. */
  async prune(rules: PruneRules): Promise<Pruned> {
    return await pruneReleases(this.#layout, this.current(), rules)
  }

  async #layOut(sha: string, run: Run, directory: string, index: string): Promise<void> {
    rmSync(index, { force: true })
    rmSync(`${index}.lock`, { force: true })
    await runGit(run, layOut(this.#git, sha, directory, index), 'release_failed')
  }

  #place(sha: string): string {
    if (!wholeId.test(sha)) throw new Error('not a whole commit id')
    return this.#layout.release(sha)
  }

  #note(sha: string): string {
    return `${this.#place(sha)}.json`
  }
}

/** Where a release's environment is found from the release itself: for units that run from `current`. */
export const environmentIn = (release: string): string => join(release, '.quarterdeck-environment')

/** What differs from release to release in the environment of its processes, for units that run from `current`. */
export const commitFileIn = (release: string): string => join(release, '.quarterdeck-commit')

/** In one rename. Ours wins over what the commit may have under this name. */
function linkTo(link: string, target: string): void {
  const made = `${link}.new`
  rmSync(made, { recursive: true, force: true })
  symlinkSync(relative(dirname(link), target), made)
  if (lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) rmSync(link, { recursive: true })
  renameSync(made, link)
}

/** Ours wins over a file, directory or link of that name in the commit: `wx` follows no link. */
function writeRevision(release: string, sha: string): void {
  const texts = { [join(release, 'REVISION')]: sha, [commitFileIn(release)]: `QUARTERDECK_SHA=${sha}` }
  for (const [file, text] of Object.entries(texts)) {
    rmSync(file, { recursive: true, force: true })
    writeFileSync(file, `${text}\n`, { flag: 'wx', flush: true })
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

function asFault(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof RunFault || code === undefined || typeof code !== 'string') return error
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new RunFault('disk_full', 'The disk is full.', { cause: error })
  return new RunFault('release_failed', `The release could not be made: ${message}.`, { cause: error })
}
