/** Nothing that only the working copy has is ever overwritten. */
import { RunFault } from '@quarterdeck/contract'
import { directories, ownCommits } from './commands/git.ts'
import type { GitPlace } from './commands/git-call.ts'
import { listed, type Run, runGit, shown } from './git-fault.ts'
import type { WorkCopyState } from './work-copy-state.ts'

const mostCounted = 1000

/**
 * Throws if moving on would lose changes or commits. `lastPut` is the commit that the agent itself put there: if the branch
 * no longer has it, it was rewritten upstream, and nobody worked here.
 */
export async function refuseLoss(
  git: GitPlace,
  run: Run,
  { main, head, branch, ahead, changed }: WorkCopyState,
  lastPut: string | null,
): Promise<void> {
  if (changed.length > 0) {
    const names = listed(changed.map(shown))
    throw new RunFault('working_copy_dirty', `Tracked files were changed in the working copy: ${names}.`)
  }
  // Someone may have left the branch for a commit checked out by hand: its own commits count too.
  const tips = [...new Set([head, branch])].filter(tip => tip !== null).filter(tip => tip !== main)
  if (ahead === 0 || tips.length === 0) return
  const own = await runGit(run, ownCommits(git, tips, main, { limit: mostCounted }), 'working_copy_broken')
  if (own !== '') throw lossOf(own.trimEnd().split('\n'), { isOurs: tips.every(tip => tip === lastPut) })
}

function lossOf(commits: readonly string[], { isOurs }: { isOurs: boolean }): RunFault {
  const names = listed(commits)
  return isOurs
    ? new RunFault('history_rewritten', `The branch was rewritten and no longer has: ${names}.`)
    : new RunFault('working_copy_diverged', `The working copy has commits of its own: ${names}.`)
}

/** They are not fetched, so a commit with some would be put in place with holes. */
export async function refuseSubmodules(git: GitPlace, run: Run, sha: string): Promise<void> {
  const entries = (await runGit(run, directories(git, sha), 'working_copy_broken')).split('\0')
  const submodules = entries.filter(entry => entry.startsWith('160000 '))
  if (submodules.length === 0) return
  const names = listed(submodules.map(entry => shown(entry.slice(entry.indexOf('\t') + 1))))
  throw new RunFault('submodules_unsupported', `The commit has submodules: ${names}.`)
}
