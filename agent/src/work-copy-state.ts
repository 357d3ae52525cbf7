/** What is in a working copy, read with as few git processes as can be: each costs about 5 ms. */
import { RunFault } from '@quarterdeck/contract'
import { branchRef, lookUp, objectsBeginningWith, status, trackingRef } from './commands/git.ts'
import type { GitPlace } from './commands/git-call.ts'
import { type Run, runGit } from './git-fault.ts'

export interface WorkCopyState {
  /** The newest commit of the branch at the remote, as last fetched. */
  readonly main: string
  /** Null before the first checkout. */
  readonly head: string | null
  /** Where the local branch is, which need not be HEAD: someone may have checked out a commit by hand. */
  readonly branch: string | null
  readonly isOnBranch: boolean
  /** How many commits HEAD has that main does not have; null: git did not say. */
  readonly ahead: number | null
  /** Tracked files that differ from HEAD. */
  readonly changed: readonly string[]
  /** Those of the ids asked for that are commits. */
  readonly commits: readonly string[]
}

export async function readState(
  git: GitPlace,
  run: Run,
  branch: string,
  ids: readonly string[],
): Promise<WorkCopyState> {
  const [objects, described] = await Promise.all([
    commitsOf(git, run, [trackingRef(branch), 'HEAD', branchRef(branch), ...ids]),
    runGit(run, status(git), 'working_copy_broken'),
  ])
  const [main, head, local, ...commits] = objects
  if (!main) throw new RunFault('branch_missing', `The remote has no branch ${branch}.`)
  return {
    main,
    head: head ?? null,
    branch: local ?? null,
    commits: commits.filter(id => id !== null),
    ...parseStatus(described, branch),
  }
}

/** The ids that a caller's `ref` can stand for. A whole one needs no search. */
export async function idsFor(git: GitPlace, run: Run, ref: string): Promise<string[]> {
  if (!/^[0-9a-f]{7,64}$/.test(ref)) return []
  if (ref.length === 40 || ref.length === 64) return [ref]
  const found = await runGit(run, objectsBeginningWith(git, ref), 'working_copy_broken')
  return found.split('\n').filter(id => id.startsWith(ref))
}

async function commitsOf(git: GitPlace, run: Run, names: readonly string[]): Promise<(string | null)[]> {
  const lines = (await runGit(run, lookUp(git, names), 'working_copy_broken')).split('\n')
  return names.map((_, index) => /^([0-9a-f]+) commit /.exec(lines[index] ?? '')?.[1] ?? null)
}

/** The format is `git status --porcelain=v2 --branch -z`. */
export function parseStatus(
  text: string,
  branch: string,
): Pick<WorkCopyState, 'isOnBranch' | 'ahead' | 'changed'> {
  const entries = text.split('\0')
  const header = (name: string): string | undefined =>
    entries.find(entry => entry.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length)
  const isOnBranch = header('head') === branch
  const ahead = isOnBranch && header('upstream') === `origin/${branch}` ? header('ab') : undefined
  return {
    isOnBranch,
    ahead: ahead === undefined ? null : Number(/^\+(\d+)/.exec(ahead)?.[1]),
    changed: entries.flatMap(entry => changedFile(entry) ?? []),
  }
}

/** An ordinary change has eight fields before the name, an unmerged file ten. */
const changedFile = (entry: string): string | undefined =>
  /^(?:1(?: \S+){7}|u(?: \S+){9}) (.+)$/s.exec(entry)?.[1]
