/** The working copy of a project on this machine: fetched, looked at, guarded and moved, never overwritten. */
import { join } from 'node:path'
import { type RunErrorCode, RunFault } from '@quarterdeck/contract'
import {
  branchRef,
  changedFiles,
  collectGarbage,
  emptyWorkCopy,
  fastForward,
  fetch,
  moveBranch,
  removeRef,
} from './commands/git.ts'
import { listed, runGit } from './git-fault.ts'
import { History } from './history.ts'
import { alignSettings } from './repository-settings.ts'
import type { Program } from './runner.ts'
import { removeStaleLocks } from './stale-locks.ts'
import { refuseLoss, refuseSubmodules } from './work-copy-guard.ts'
import { type Making, makeReady, reaching } from './work-copy-making.ts'
import { idsFor, readState, type WorkCopyState } from './work-copy-state.ts'

/** What the choice of a commit rests on. */
export interface Facts {
  /** The newest commit of the branch. */
  readonly main: string
  /** The commit that was asked for, whole; `main` when none was; null: unknown. */
  readonly ref: string | null
  readonly refOnMain: boolean
  /** `ref` is an ancestor of what runs, and not the same. */
  readonly refIsBehindRunning: boolean
  readonly mainIsRunning: boolean
  /** Null before the first checkout. */
  readonly head: string | null
}

/** git knows the tree without any file in it, with either kind of ids. */
const emptyTrees: Readonly<Record<number, string>> = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}

/** For one run: the caller sees to it that no other run uses the working copy meanwhile. */
export class WorkCopy {
  readonly #making: Making
  readonly #history: History
  #isFresh = false
  #state: WorkCopyState | undefined

  constructor(making: Making) {
    this.#making = making
    this.#history = new History(making.git, making.run)
  }

  /**
   * Clones it if it is not there; else clears what a killed git left and brings address and branch into line. A broken
   * one is only made anew with `discard`; files that are in no commit are then set aside as `work.old-<time>`.
   */
  async prepare({ discard = false } = {}): Promise<void> {
    this.#state = undefined
    this.#isFresh = await makeReady(this.#making, { discard })
  }

  /** Brings the tracking branch up to date, over a rewritten history too. Right after a clone it already is. */
  async fetch(): Promise<void> {
    this.#state = undefined
    this.#alignSettings()
    const { source } = this.#making
    if (!this.#isFresh) await this.#git(fetch(reaching(this.#making), source), 'remote_unreachable')
    this.#isFresh = false
  }

  /** `ref` is what a caller sent: it is only looked up. */
  async facts(ref: string | null, running: string | null): Promise<Facts> {
    const { git, run } = this.#making
    const ids = ref === null ? [] : await idsFor(git, run, ref)
    const state = await this.#read(ids)
    if (new Set(state.commits).size > 1) {
      const names = listed(state.commits)
      throw new RunFault('ref_ambiguous', `${ref} stands for several commits: ${names}.`)
    }
    const found = ref === null ? state.main : (state.commits[0] ?? null)
    return {
      main: state.main,
      ref: found,
      refOnMain: found !== null && (await this.#history.isIn(found, state.main)),
      refIsBehindRunning: found !== null && (await this.#isBehind(found, running, state)),
      mainIsRunning: state.main === running,
      head: state.head,
    }
  }

  /** Names of the files in which two commits differ; null unless `newer` is known to have `older` behind itself. */
  async changedFiles(older: string, newer: string): Promise<string[] | null> {
    if (!(await this.#history.isIn(older, newer))) return null
    const names = await this.#git(changedFiles(this.#making.git, older, newer), 'working_copy_broken')
    return names.split('\0').filter(name => name !== '')
  }

  /** Throws if moving on would lose something: changes, own commits, or a history that was rewritten upstream. */
  async guard(lastPut: string | null): Promise<void> {
    const { git, run } = this.#making
    await refuseLoss(git, run, await this.#known(), lastPut)
  }

  /** Forward by a merge, else exactly to the commit; HEAD is on the branch afterwards. Nothing untracked is lost. */
  async moveTo(sha: string, { discard = false } = {}): Promise<void> {
    await refuseSubmodules(this.#making.git, this.#making.run, sha)
    const { head, main, isOnBranch, ahead } = await this.#known()
    const isForward = isOnBranch && (head === null || (sha === main && ahead === 0))
    if (discard || !isForward) return await this.#moveBranch(sha, { force: discard })
    this.#state = undefined
    await this.#git(fastForward(this.#making.git, sha), 'working_copy_broken')
  }

  /**
   * To where it was before the run; null: before the first checkout. `movingTo` is the commit that the run wanted to move
   * to, and may have reached, or only half-way, or not at all.
   */
  async putBack(sha: string | null, movingTo: string | null = null): Promise<void> {
    const stale = await removeStaleLocks(this.#gitDirectory)
    this.#state = undefined
    const { head, changed } = await this.#known()
    if (movingTo === null || head === movingTo) return await this.#moveBack(sha)
    if (head !== sha) {
      throw new RunFault('working_copy_diverged', `Someone has moved the working copy to ${head}.`)
    }
    // git looks before it writes: without a trace it has not begun, and what is untracked may be someone's own. Begun, it
    // had found nothing in its way. It is completed first, or else its new files would be left as untracked ones.
    if (changed.length === 0 && !stale.includes('index.lock')) return
    await this.#moveBranch(movingTo, { force: true })
    await this.#moveBack(sha)
  }

  /** Between runs. What it could not do it does the next time. */
  async collectGarbage(): Promise<void> {
    await this.#making.run(collectGarbage(this.#making.git))
  }

  async #moveBack(sha: string | null): Promise<void> {
    const { git, source } = this.#making
    const { main } = await this.#known()
    if (sha !== null) return await this.#moveBranch(sha, { force: false })
    this.#state = undefined
    await this.#git(emptyWorkCopy(git, emptyTrees[main.length]!), 'working_copy_broken')
    await this.#git(removeRef(git, branchRef(source.branch)), 'working_copy_broken')
  }

  async #moveBranch(sha: string, { force }: { force: boolean }): Promise<void> {
    const { git, source } = this.#making
    this.#state = undefined
    await this.#git(moveBranch(git, source.branch, sha, { force }), 'working_copy_broken')
  }

  async #known(): Promise<WorkCopyState> {
    return this.#state ?? (await this.#read([]))
  }

  /** After a crash nobody has prepared it: a setting of someone else's must not count even then. */
  async #read(ids: readonly string[]): Promise<WorkCopyState> {
    const { git, run, source } = this.#making
    this.#alignSettings()
    this.#state = await readState(git, run, source.branch, ids)
    return this.#state
  }

  #alignSettings(): void {
    if (!this.#making.isAdopted) alignSettings(this.#gitDirectory, this.#making.source)
  }

  get #gitDirectory(): string {
    return join(this.#making.git.work, '.git')
  }

  /** When main is what was asked for and has all that runs, it is not behind it: no need to ask. */
  async #isBehind(ref: string, running: string | null, state: WorkCopyState): Promise<boolean> {
    if (ref === running || running === null) return false
    if (ref === state.main && running === state.head && state.ahead === 0) return false
    return await this.#history.isIn(ref, running)
  }

  #git(program: Program, otherwise: RunErrorCode): Promise<string> {
    return runGit(this.#making.run, program, otherwise)
  }
}
