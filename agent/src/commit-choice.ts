/** Which commit a run puts in place: the five rules of a deploy in their order, and the one of a rollback. */
import { RunFault, type RunKind } from '@quarterdeck/contract'
import type { Facts } from './work-copy.ts'

export interface Choice {
  /** nothing: the run ends superseded, because what runs now already has all that was asked for. */
  readonly outcome: 'deploy' | 'rollback' | 'nothing'
  readonly sha: string
  /** One sentence for the run's page. */
  readonly why: string
  /** Nothing, because a push has changed nothing that the project is deployed for. */
  readonly unchanged?: true
}

export interface Asked {
  readonly kind: RunKind
  /** As the caller sent it; null: the newest of the branch. */
  readonly requestedRef: string | null
  readonly facts: Pick<Facts, 'main' | 'ref' | 'refOnMain' | 'refIsBehindRunning'>
  /** The commit that runs now; null: none. */
  readonly running: string | null
  /** The same commit was sent before, in a run that ended succeeded or superseded. */
  readonly sentBefore: boolean
  /** `facts.ref` has a release that is kept: a rollback to it needs no branch that holds it. */
  readonly isKeptRelease?: boolean
  /** A forge tells of a push; nobody asks for a commit again. */
  readonly isPush?: boolean
}

export function chooseCommit(asked: Asked): Choice {
  return asked.kind === 'rollback' ? chooseRollback(asked) : chooseDeploy(asked)
}

/** The commits of earlier runs may be written short, as they were sent. */
export const wasSentBefore = (earlier: readonly string[], sha: string | null): boolean =>
  sha !== null && earlier.some(ref => ref.length >= 7 && sha.startsWith(ref))

/** Exactly what was asked for, whatever runs. */
function chooseRollback({ requestedRef, facts, isKeptRelease = false }: Asked): Choice {
  if (requestedRef === null)
    throw new RunFault('ref_not_on_main', 'A rollback needs the commit to go back to.')
  if (facts.ref === null || !(facts.refOnMain || isKeptRelease)) throw notOnMain(requestedRef)
  return { outcome: 'rollback', sha: facts.ref, why: `A rollback to ${short(facts.ref)} was asked for.` }
}

function chooseDeploy({ requestedRef, facts, running, sentBefore, isPush = false }: Asked): Choice {
  const { main, ref, refOnMain, refIsBehindRunning } = facts
  if (ref === null || !refOnMain) throw notOnMain(requestedRef)
  if (isPush && main === running) return overtaken(ref, running)
  if (ref === running) return running === main ? again(main) : movedOn(ref, main)
  // Without a ref nobody can have sent it before, nor been overtaken: main is what is wanted, even if it was set back.
  if (requestedRef === null || !refIsBehindRunning)
    return { outcome: 'deploy', sha: main, why: newest(ref, main) }
  const isSetBack = ref === main
  // A push that is told of late, or once more by someone who kept it, is never a reason to go back.
  if (sentBefore && (isSetBack || !isPush)) return rerun(ref)
  return isSetBack ? setBack(main) : overtaken(ref, running!)
}

const notOnMain = (ref: string | null): RunFault =>
  new RunFault('ref_not_on_main', `${ref ?? 'The commit'} is not on the branch that is deployed.`)

const again = (sha: string): Choice => ({
  outcome: 'deploy',
  sha,
  why: `${short(sha)} runs already and is the newest of the branch: it is deployed again.`,
})

const movedOn = (ref: string, main: string): Choice => ({
  outcome: 'deploy',
  sha: main,
  why: `${short(ref)} runs already and the branch has moved on to ${short(main)}.`,
})

const rerun = (ref: string): Choice => ({
  outcome: 'rollback',
  sha: ref,
  why: `${short(ref)} was deployed before and lies behind what runs now: this is a rollback to it.`,
})

const setBack = (main: string): Choice => ({
  outcome: 'deploy',
  sha: main,
  why: `The branch was set back to ${short(main)}.`,
})

const overtaken = (ref: string, running: string): Choice => ({
  outcome: 'nothing',
  sha: running,
  why:
    ref === running
      ? `${short(ref)} runs already.`
      : `${short(ref)} came late: ${short(running)}, which runs now, already has it.`,
})

const newest = (ref: string, main: string): string =>
  ref === main
    ? `${short(main)} is the newest of the branch.`
    : `${short(main)} is the newest of the branch and has ${short(ref)}.`

const short = (sha: string): string => sha.slice(0, 7)
