/** How a working copy comes to be: cloned beside its place and renamed, so that half of one never counts. */
import { chownSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import {
  branchRef,
  checkConnectivity,
  clone,
  lookUp,
  removeRef,
  type Source,
  status,
  trackingRef,
} from './commands/git.ts'
import type { Env, GitPlace } from './commands/git-call.ts'
import { type Run, runGit } from './git-fault.ts'
import type { Layout } from './layout.ts'
import { goingPrefix, removeTree } from './remove-tree.ts'
import { alignSettings } from './repository-settings.ts'
import { removeStaleLocks } from './stale-locks.ts'

export interface Making {
  readonly layout: Layout
  readonly git: GitPlace
  readonly run: Run
  readonly clock: Clock
  readonly source: Source
  /** What the remote is read with: for a git that goes there, and for no other. */
  readonly access?: Env
  /** It was there before us: neither made anew nor given other settings. */
  readonly isAdopted?: boolean
}

/** Says whether it was cloned just now. `discard` makes a broken one anew. */
export async function makeReady(making: Making, { discard }: { discard: boolean }): Promise<boolean> {
  const { layout, source } = making
  if (making.isAdopted) return await readyInPlace(layout)
  await removeLeftovers(layout)
  const found = whatIs(layout.work)
  if (found === 'nothing') return await cloneInto(making, async () => {})
  if (found === 'repository') {
    await removeStaleLocks(join(layout.work, '.git'))
    alignSettings(join(layout.work, '.git'), source)
    if (!discard || (await isSound(making))) return false
  }
  if (!discard) {
    throw new RunFault('working_copy_broken', `The working copy ${layout.work} is not a git repository.`)
  }
  const isWorthKeeping = await holdsWork(making)
  return await cloneInto(making, () => (isWorthKeeping ? setAside(making) : removeTree(layout.work)))
}

/** git runs as its owner, so that settings of theirs can name no program that they could not start themselves. */
async function readyInPlace({ work }: Layout): Promise<false> {
  if (whatIs(work) !== 'repository')
    throw new RunFault(
      'working_copy_broken',
      `The working copy ${work}, which was adopted, is not a git repository.`,
    )
  await removeStaleLocks(join(work, '.git'))
  return false
}

async function removeLeftovers({ root }: Layout): Promise<void> {
  mkdirSync(root, { recursive: true })
  for (const name of readdirSync(root)) {
    if (name === 'work.new' || name === `${goingPrefix}work` || name === `${goingPrefix}work.new`) {
      await removeTree(join(root, name))
    }
  }
}

function whatIs(work: string): 'nothing' | 'repository' | 'something else' {
  const found = statSync(work, { throwIfNoEntry: false })
  if (found === undefined || (found.isDirectory() && readdirSync(work).length === 0)) return 'nothing'
  const parts = ['HEAD', 'config', 'objects', 'refs'].map(name => join(work, '.git', name))
  return parts.every(exists) ? 'repository' : 'something else'
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/**
 * The old one goes only when the new one is there. The branch is taken away again: before its first checkout a working
 * copy has no HEAD, and the first deploy is a merge like every other.
 */
async function cloneInto(making: Making, clearPlace: () => Promise<void>): Promise<true> {
  const { layout, git, run, source } = making
  const made = `${layout.work}.new`
  const inMade = { ...git, work: made }
  mkdirSync(made, { mode: 0o755 })
  if (git.identity) chownSync(made, git.identity.uid, git.identity.gid)
  try {
    await runGit(run, clone(reaching(making), source, made), 'remote_unreachable')
    const branch = await runGit(run, lookUp(inMade, [trackingRef(source.branch)]), 'working_copy_broken')
    if (branch.includes('missing'))
      throw new RunFault('branch_missing', `The remote has no branch ${source.branch}.`)
    await runGit(run, removeRef(inMade, branchRef(source.branch)), 'working_copy_broken')
    alignSettings(join(made, '.git'), source)
  } catch (error) {
    await removeTree(made)
    throw error
  }
  await clearPlace()
  renameSync(made, layout.work)
  return true
}

export const reaching = ({ git, access }: Making): GitPlace => ({ ...git, env: { ...git.env, ...access } })

async function isSound({ git, run }: Making): Promise<boolean> {
  const answers = [await run(status(git)), await run(checkConnectivity(git))]
  return answers.every(({ code }) => code === 0)
}

/** Changed or untracked files, or any file at all where git cannot tell. */
async function holdsWork({ layout, git, run }: Making): Promise<boolean> {
  if (!statSync(layout.work).isDirectory()) return true
  if (!readdirSync(layout.work).some(name => name !== '.git')) return false
  if (whatIs(layout.work) !== 'repository') return true
  const { code, stdout } = await run(status(git, { untracked: true }))
  return code !== 0 || stdout.split('\0').some(entry => entry !== '' && !entry.startsWith('# '))
}

async function setAside({ layout, clock }: Making): Promise<void> {
  const time = clock.now().toISOString().replaceAll(/[:.]/g, '-')
  renameSync(layout.work, `${layout.work}.old-${time}`)
}
