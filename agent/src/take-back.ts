/** What ran before runs again: working copy, release and units go back, and are verified like any other. */
import type { RunError, RunOutcome } from '@quarterdeck/contract'
import { lastOf } from './journal.ts'
import { attach } from './make-environment.ts'
import { AgentStopping, type StepScope } from './open-run.ts'
import type { Work } from './release.ts'
import { logMarks, prove, startUnits } from './running.ts'
import type { Placed } from './site.ts'

const nothing = 'There was nothing before that could be put back: the service is stopped.'

export interface Reason {
  readonly status: 'failed' | 'cancelled'
  readonly error: RunError | null
}

/** The service was not disturbed: only the working copy may have moved. */
export async function undoWorkCopy({ site, run }: Work): Promise<void> {
  const moving = lastOf(run.journal, 'moving')
  if (!moving) return
  const { project } = run.order
  await run
    .undo(project.limits.fetch_s, async scope => {
      await site.workCopy(project, scope.ask).putBack(moving.from, moving.to)
      // Not where it was: that may have been someone's own.
      site.remember({ put: lastOf(run.journal, 'began')!.put })
    })
    .catch(error => {
      if (error instanceof AgentStopping) throw error
      run.log.write(`the working copy could not be put back: ${error.message}`)
    })
}

interface Back {
  readonly restored: string | null
  /** Why it is not as it was; undefined: it is. */
  readonly trouble?: string
}

export async function takeBack(work: Work, { status, error }: Reason): Promise<RunOutcome> {
  const { run } = work
  if (!lastOf(run.journal, 'taking_back')) await run.journal.write({ entry: 'taking_back', status, error })
  run.log.write(`taking back: ${error?.message ?? 'the run was cancelled.'}`)
  await undoWorkCopy(work)
  const { restored, trouble } = await goBack(work, status)
  const message = [error?.message, trouble].filter(Boolean).join(' ')
  return {
    status,
    error: error ? { ...error, message } : trouble ? { code: 'restart_failed', message } : null,
    restored_sha: restored,
  }
}

/** Puts back what was in place. */
async function goBack(work: Work, status: Reason['status']): Promise<Back> {
  const { run } = work
  const { current, running } = lastOf(run.journal, 'began')!
  const before = placedBefore(work, current)
  if (current === null || !before) {
    await removeAll(work)
    // Cancelled, a first deploy is as if it had not been.
    return current === null && status === 'cancelled'
      ? { restored: null }
      : { restored: null, trouble: nothing }
  }
  try {
    await run.undo(before.project.limits.restart_s + before.project.health.timeout_s + 60, scope =>
      restore(work, before, running, scope),
    )
    run.log.write(running ? `${current} runs again` : `${current} is in place again, stopped as it was`)
    return { restored: current }
  } catch (error) {
    if (error instanceof AgentStopping) throw error
    const { message } = error as Error
    run.log.write(`${current} does not run either: ${message}`)
    // It goes on being tried: it ran once.
    for (const { name } of before.project.processes) work.machine.units.settle(before.project.name, name)
    return {
      restored: null,
      trouble: `The release before, ${current.slice(0, 12)}, does not run either: ${message}`,
    }
  }
}

/** What last proved to run; or what someone has checked out by hand since, which is started as that was. */
function placedBefore({ site }: Work, current: string | null): Placed | undefined {
  const { proven } = site.state
  if (current === null || !proven) return undefined
  if (proven.sha === current) return proven
  const environment = site.releases.environmentOf(current)
  if (!environment) return undefined
  return { ...proven, ...site.placing(current, proven.ordered ?? proven.project), environment }
}

async function restore(work: Work, before: Placed, running: boolean, scope: StepScope): Promise<void> {
  const { site, run, machine } = work
  const { name } = before.project
  site.releases.switchTo(before.sha)
  const attempt = `${run.order.id}/back`
  await run.journal.write({ entry: 'restarting_back', attempt })
  if (!running) return void (await stopUnits(work))
  await attach(machine, site, before)
  const marks = await logMarks(machine, before)
  await startUnits(machine, site, before, attempt, scope.signal)
  await prove(machine, before, marks, scope)
  for (const { name: process } of before.project.processes) machine.units.settle(name, process)
}

/** A first deploy: nothing is in place afterwards. */
async function removeAll(work: Work): Promise<void> {
  // First, because what is told when the units stop is what is in place.
  work.site.releases.removeCurrent()
  await stopUnits(work)
}

async function stopUnits({ machine, run }: Work): Promise<void> {
  const { name } = run.order.project
  await Promise.all(
    machine.units.list(name).map(unit => machine.units.stop(name, unit.name, { limitMs: 10_000 })),
  )
}
