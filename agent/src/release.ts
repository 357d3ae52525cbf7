/**
 * The story of a run on a machine: fetch, install, before_restart, restart, verify; and back, if the new build does not
 * prove itself. Every stage can be done again after a crash: the journal tells where it was.
 */
import { noVariables, RunFault, type RunOutcome } from '@quarterdeck/contract'
import { lastOf } from './journal.ts'
import type { Machine } from './machine.ts'
import { AgentStopping, type OpenRun, RunCancelled } from './open-run.ts'
import { type LogMarks, logMarks, prove, startUnits } from './running.ts'
import type { Placed, Site } from './site.ts'
import { fetch, install, prepare } from './stages.ts'
import { takeBack, undoWorkCopy } from './take-back.ts'

export interface Work {
  readonly machine: Machine
  readonly site: Site
  readonly run: OpenRun
}

/** Resolves with how it ended; rejects with `AgentStopping` when it goes on another time. */
export async function release(work: Work): Promise<RunOutcome> {
  const { run } = work
  await begin(work)
  const back = lastOf(run.journal, 'taking_back')
  if (back) return takeBack(work, back)
  let placed = switchedTo(work)
  try {
    placed ??= await makeReady(work)
  } catch (error) {
    const outcome = outcomeOf(error)
    await undoWorkCopy(work)
    return outcome
  }
  if (!placed) return nothingToDo(run)
  try {
    if (!lastOf(run.journal, 'verified')) await replace(work, placed)
  } catch (error) {
    const { status, error: reason } = outcomeOf(error)
    return takeBack(work, { status, error: reason })
  }
  settle(work, placed)
  return { status: 'succeeded', error: null, restored_sha: null }
}

/** Notes what is there before anything is touched. */
async function begin({ run, site, machine }: Work): Promise<void> {
  if (lastOf(run.journal, 'began')) return
  const { name } = run.order.project
  await run.journal.write({
    entry: 'began',
    current: site.releases.current(),
    put: site.state.put,
    running: machine.units.list(name).some(({ wanted }) => wanted === 'up'),
  })
}

/** A run that had come to the restart goes on from there. */
function switchedTo({ run: { journal, order }, site }: Work): Placed | undefined {
  const switching = lastOf(journal, 'switching')
  if (!switching) return undefined
  const { to: sha, environment, variables = noVariables } = switching
  return { ...site.placing(sha, order.project), environment, variables }
}

/** Nothing of this disturbs what runs. Undefined: there is nothing to do. */
async function makeReady(work: Work): Promise<Placed | undefined> {
  const { run } = work
  const { limits } = run.order.project
  const choice = await run.step('fetch', limits.fetch_s, scope => fetch(work, scope))
  if (choice.outcome === 'nothing') return undefined
  const placed = await run.step('install', limits.install_s, scope => install(work, choice, scope))
  if (placed.project.before_restart) {
    await run.step('before_restart', limits.before_restart_s, scope => prepare(work, placed, scope))
  }
  return placed
}

function nothingToDo({ journal }: OpenRun): RunOutcome {
  const { unchanged } = lastOf(journal, 'decided') ?? {}
  return { status: 'superseded', error: null, restored_sha: null, ...(unchanged && { unchanged }) }
}

async function replace(work: Work, placed: Placed): Promise<void> {
  const { run, site, machine } = work
  const { project } = placed
  let marks: LogMarks = {}
  await run.step('restart', project.limits.restart_s, async scope => {
    const { sha: to, environment, variables } = placed
    await run.journal.write({ entry: 'switching', to, environment, variables })
    site.releases.switchTo(placed.sha)
    // After a crash its log may have begun already.
    marks = lastOf(run.journal, 'restarting')?.marks ?? (await logMarks(machine, placed))
    const attempt = run.order.id
    await run.journal.write({ entry: 'restarting', attempt, marks })
    scope.detail(await startUnits(machine, site, placed, attempt, scope.signal))
  })
  await run.step('verify', project.health.timeout_s + 60, async scope => {
    await run.journal.write({ entry: 'verifying' })
    scope.detail(await prove(machine, placed, marks, scope))
  })
  await run.journal.write({ entry: 'verified' })
}

/** From now on it is what a later failure goes back to, and is started again when it ends. */
function settle({ machine, site }: Work, placed: Placed): void {
  site.remember({ proven: placed })
  site.releases.verified(placed.sha, placed.environment)
  for (const { name } of placed.project.processes) machine.units.settle(placed.project.name, name)
}

function outcomeOf(error: unknown): RunOutcome & { status: 'failed' | 'cancelled' } {
  if (error instanceof AgentStopping) throw error
  if (error instanceof RunCancelled) return { status: 'cancelled', error: null, restored_sha: null }
  const { code, message } = error instanceof RunFault ? error : new RunFault('internal', String(error))
  return { status: 'failed', error: { code, message }, restored_sha: null }
}
