/**
 * The git calls of a deploy, as data. They are never started here. What stands behind `--end-of-options` or on standard
 * input can only be looked up; `commit` lets nothing but a whole commit id pass.
 */
import type { Program } from '../runner.ts'
import { always, commit, type GitPlace, inPlace, reading } from './git-call.ts'

export interface Source {
  readonly git_url: string
  readonly branch: string
}

export const trackingRef = (branch: string): string => `refs/remotes/origin/${branch}`
export const branchRef = (branch: string): string => `refs/heads/${branch}`

/** A path as a remote is fetched like any other: never by links into someone else's objects. */
export const clone = (git: GitPlace, { git_url, branch }: Source, into: string): Program => ({
  file: 'git',
  args: [
    ...always(),
    ...['clone', '--quiet', '--no-checkout', '--single-branch', '--no-tags', '--no-local', '--template='],
    ...[`--branch=${branch}`, '--origin=origin', '--end-of-options', git_url, into],
  ],
  cwd: '/',
  env: git.env,
  ...(git.identity && { identity: git.identity }),
})

/** The address and the branch come from the project, not from the working copy's own settings. */
export const fetch = (git: GitPlace, { git_url, branch }: Source): Program =>
  inPlace(git, [
    ...['fetch', '--quiet', '--no-tags', '--prune', '--force', '--no-auto-maintenance'],
    ...['--no-recurse-submodules', '--no-write-fetch-head', '--refmap=', '--end-of-options', git_url],
    `+${branchRef(branch)}:${trackingRef(branch)}`,
  ])

/** Every object whose id begins so, of any kind. Unlike a lookup by name this never finds a branch called so. */
export const objectsBeginningWith = (git: GitPlace, digits: string): Program => {
  if (!/^[0-9a-f]{4,64}$/.test(digits)) throw new Error('not the beginning of an object’s id')
  return reading(git, ['rev-parse', `--disambiguate=${digits}`])
}

/** One line for each name, in their order: id and kind, or that it is missing. */
export const lookUp = (git: GitPlace, names: readonly string[]): Program => ({
  ...reading(git, ['cat-file', '--batch-check', '--buffer']),
  input: names.map(name => `${name}\n`).join(''),
})

/** HEAD, its branch, how it lies to the tracked one, and what is changed, in one call. */
export const status = (git: GitPlace, { untracked = false } = {}): Program =>
  reading(git, [
    ...['status', '--porcelain=v2', '--branch', '-z', '--ahead-behind', '--no-renames'],
    ...['--ignore-submodules=all', `--untracked-files=${untracked ? 'normal' : 'no'}`],
  ])

export const isAncestor = (git: GitPlace, older: string, newer: string): Program =>
  reading(git, ['merge-base', '--is-ancestor', '--end-of-options', commit(older), commit(newer)])

/** Names of the files that differ, each ended by a NUL. One that was moved is there with both of its names. */
export const changedFiles = (git: GitPlace, older: string, newer: string): Program =>
  reading(git, [
    ...['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv'],
    ...['--ignore-submodules=none', '--end-of-options', commit(older), commit(newer)],
  ])

/** The first commits that are in `tips` and not in `base`, one to a line. */
export const ownCommits = (
  git: GitPlace,
  tips: readonly string[],
  base: string,
  { limit }: { limit: number },
): Program =>
  reading(git, [
    ...['log', `--max-count=${limit}`, '--format=%h %s', '--no-color', '--no-decorate', '--end-of-options'],
    ...[...tips.map(commit), `^${commit(base)}`],
  ])

/** Directories and submodules, not files: what is listed stays small. */
export const directories = (git: GitPlace, sha: string): Program =>
  reading(git, ['ls-tree', '-r', '-d', '-z', '--full-tree', '--end-of-options', commit(sha)])

/** An ignored file in the way counts as much as any other: `.env` is most often one. */
export const fastForward = (git: GitPlace, sha: string): Program =>
  inPlace(git, [
    ...['merge', '--quiet', '--ff-only', '--no-stat', '--no-overwrite-ignore', '--end-of-options'],
    commit(sha),
  ])

/** The branch, and HEAD on it, exactly at the commit. git before 2.44 knows no `--end-of-options` here. */
export const moveBranch = (git: GitPlace, branch: string, sha: string, { force = false } = {}): Program =>
  inPlace(git, [
    ...['checkout', '--quiet', '--no-track', '--no-overwrite-ignore', ...(force ? ['--force'] : [])],
    ...['-B', branch, commit(sha), '--'],
  ])

/** Takes every tracked file away and leaves the rest. */
export const emptyWorkCopy = (git: GitPlace, emptyTree: string): Program =>
  inPlace(git, ['read-tree', '--reset', '-u', '--end-of-options', commit(emptyTree)])

export const removeRef = (git: GitPlace, ref: string): Program =>
  inPlace(git, ['update-ref', '--no-deref', '-d', '--end-of-options', ref])

/** Lays the commit's files out in `directory`, with an index of their own: the working copy is not touched. */
export const layOut = (git: GitPlace, sha: string, directory: string, index: string): Program => {
  const program = inPlace(git, ['read-tree', '--reset', '-u', '--end-of-options', commit(sha)])
  return { ...program, env: { ...program.env, GIT_WORK_TREE: directory, GIT_INDEX_FILE: index } }
}

/** Whether every commit, directory and file of HEAD is there. */
export const checkConnectivity = (git: GitPlace): Program =>
  reading(git, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'])

/** Cheap unless much has piled up. Bounded in memory and threads, because services run beside it. */
export const collectGarbage = (git: GitPlace): Program =>
  inPlace(
    git,
    ['gc', '--auto', '--quiet'],
    [
      ...['gc.auto=3000', 'gc.autoPackLimit=30', 'gc.autoDetach=false'],
      ...['pack.threads=1', 'pack.windowMemory=64m', 'pack.deltaCacheSize=64m'],
    ],
  )

/** Where the working copy itself says that it comes from. */
export const remoteUrl = (git: GitPlace): Program =>
  reading(git, ['config', '--local', '--no-includes', '--get', 'remote.origin.url'])

/** What of a place in the working copy belongs to the repository. */
export const trackedIn = (git: GitPlace, place: string): Program =>
  reading(git, ['ls-files', '-z', '--', place])

/** Everybody on the machine who may read it may use git there, whoever owns it. */
export const trustInSystem = (work: string): Program => ({
  file: 'git',
  args: ['config', '--system', '--add', 'safe.directory', work],
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' },
})
