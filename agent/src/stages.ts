/** What comes before the restart: the commit is decided and laid out, its environment built, its own step done. */
import { mkdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { RunFault } from '@quarterdeck/contract'
import { chooseCommit, wasSentBefore } from './commit-choice.ts'
import { type Entry, lastOf } from './journal.ts'
import type { StepScope } from './open-run.ts'
import type { Work } from './release.ts'
import { programOf } from './running.ts'
import type { Placed } from './site.ts'
import type { Facts, WorkCopy } from './work-copy.ts'

type Decided = Extract<Entry, { entry: 'decided' }>

/** Decides the commit, once for the run, merges it into the working copy and lays it out as a release. */
export async function fetch(work: Work, scope: StepScope): Promise<Decided> {
  const { run, site } = work
  const { project, discard } = run.order
  const copy = site.workCopy(project, scope.ask)
  const moving = lastOf(run.journal, 'moving')
  // A crash may have left it anywhere between the two.
  if (moving) await copy.putBack(moving.from, moving.to)
  const choice = lastOf(run.journal, 'decided') ?? (await decide(work, copy))
  scope.detail(choice.why)
  if (choice.outcome === 'nothing') return choice
  if (!discard) await copy.guard(site.state.put)
  if (!moving) await run.journal.write({ entry: 'moving', from: choice.head, to: choice.sha })
  await copy.moveTo(choice.sha, { discard })
  site.remember({ put: choice.sha })
  mkdirSync(site.layout.data, { recursive: true, mode: 0o700 })
  await site.releases.make(choice.sha, scope.ask, project)
  return choice
}

async function decide({ run, site }: Work, copy: WorkCopy): Promise<Decided> {
  const { kind, ref, sent_before, discard } = run.order
  await copy.prepare({ discard })
  const running = site.releases.current()
  const facts = await factsFor(run.order, copy, running)
  const isKeptRelease = facts.ref !== null && site.releases.has(facts.ref)
  const choice = chooseCommit({
    kind,
    requestedRef: ref,
    facts,
    running,
    sentBefore: wasSentBefore(sent_before, facts.ref),
    isKeptRelease,
  })
  const decided = {
    entry: 'decided',
    ...choice,
    kind: choice.outcome === 'rollback' ? 'rollback' : kind,
    ref_sha: facts.ref,
    head: facts.head,
  } as const
  await run.journal.write(decided)
  return decided
}

/** A rollback to what is known here does without the remote, which may be part of the trouble. */
async function factsFor(
  { kind, ref }: Work['run']['order'],
  copy: WorkCopy,
  running: string | null,
): Promise<Facts> {
  if (kind === 'rollback') {
    const known = await copy.facts(ref, running).catch(() => undefined)
    if (known?.ref && known.refOnMain) return known
  }
  await copy.fetch()
  return copy.facts(ref, running)
}

/** Builds the environment, unless there is one for the same dependency list. */
export async function install(work: Work, sha: string, scope: StepScope): Promise<Placed> {
  const { machine, site, run } = work
  const { project } = run.order
  const runtime = machine.runtimes[project.runtime]
  if (!runtime) {
    throw new RunFault(
      'interpreter_missing',
      `The runtime ${project.runtime} is not there on ${machine.name}.`,
    )
  }
  const release = site.layout.release(sha)
  const plan = await runtime.plan(release, project, scope.ask)
  await run.journal.write({ entry: 'installing', environment: plan.hash })
  const done = await site.environments.ensure(plan, async directory => {
    await needSpace(work)
    scope.log(`building an environment: ${plan.summary}`)
    await runtime.build(plan, directory, release, project, scope.run)
  })
  site.releases.uses(sha, plan.hash)
  if (done === 'built') scope.detail(`environment built: ${plan.summary}`)
  else scope.skipped(`the environment for this dependency list is there (${plan.summary})`)
  return { sha, environment: plan.hash, project }
}

async function needSpace({ machine, site }: Work): Promise<void> {
  const { bavail, bsize } = await statfs(site.layout.root)
  const { freeBytes } = machine.limits
  if (bavail * bsize >= freeBytes) return
  const [free, needed] = [bavail * bsize, freeBytes].map(bytes => `${Math.floor(bytes / 1024 ** 2)} MB`)
  throw new RunFault('disk_full', `Only ${free} are free at ${site.layout.root}; an install needs ${needed}.`)
}

/** The project's own step, in the new release, once per run. */
export async function prepare(work: Work, placed: Placed, scope: StepScope): Promise<void> {
  const { machine, site, run } = work
  if (lastOf(run.journal, 'prepared')) return
  if (lastOf(run.journal, 'preparing')) {
    throw new RunFault('interrupted', 'The agent ended during the step before the restart.')
  }
  await run.journal.write({ entry: 'preparing' })
  const program = programOf(machine, site, placed, placed.project.before_restart!)
  const { code } = await scope.run(program).catch(error => {
    throw (error as NodeJS.ErrnoException).syscall?.startsWith('spawn')
      ? new RunFault('before_restart_failed', `${program.file} cannot be started: ${error.message}.`)
      : error
  })
  if (code !== 0) {
    const how = code === null ? 'by a signal' : `with code ${code}`
    throw new RunFault('before_restart_failed', `The step before the restart ended ${how}.`)
  }
  await run.journal.write({ entry: 'prepared' })
  scope.detail('done')
}
