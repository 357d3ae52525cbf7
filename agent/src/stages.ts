/** What comes before the restart: the commit is decided and laid out, its environment built, its own step done. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { RunFault, repositorySettingsFile } from '@quarterdeck/contract'
import { giveTree } from './commands/users.ts'
import { type Choice, chooseCommit, wasSentBefore } from './commit-choice.ts'
import { identityOf } from './identity.ts'
import { phraseOf, saidIn } from './in-repository.ts'
import { type Entry, lastOf } from './journal.ts'
import { makeEnvironment } from './make-environment.ts'
import type { StepScope } from './open-run.ts'
import { type OnlyFor, whyUnchanged } from './push-filter.ts'
import type { Work } from './release.ts'
import { programOf } from './running.ts'
import type { Placed } from './site.ts'
import { userName } from './units/systemd-names.ts'
import type { Facts, WorkCopy } from './work-copy.ts'

type Decided = Extract<Entry, { entry: 'decided' }>

/** Decides the commit, once for the run, merges it into the working copy and lays it out as a release. */
export async function fetch(work: Work, scope: StepScope): Promise<Decided> {
  const { run, site } = work
  const { project, discard } = run.order
  await site.prepare(scope.ask)
  const copy = site.workCopy(project, scope.ask)
  const moving = lastOf(run.journal, 'moving')
  // A crash may have left it anywhere between the two.
  if (moving) await copy.putBack(moving.from, moving.to)
  const choice = lastOf(run.journal, 'decided') ?? (await decide(work, copy))
  scope.detail(choice.why)
  if (choice.outcome === 'nothing') return choice
  if (!discard) await copy.guard(site.state.put)
  if (project.adopted && choice.head) await knowRelease(work, choice.head, scope)
  if (!moving) await run.journal.write({ entry: 'moving', from: choice.head, to: choice.sha })
  await copy.moveTo(choice.sha, { discard })
  site.remember({ put: choice.sha })
  await site.releases.make(choice.sha, scope.ask, project)
  tellSaid(site.layout.release(choice.sha), scope)
  const { linked_paths } = site.placing(choice.sha, project).project
  for (const path of linked_paths) await giveLinked(work, path, scope)
  return choice
}

function tellSaid(release: string, scope: StepScope): void {
  const said = saidIn(release)
  if (said) scope.log(`${repositorySettingsFile} says: ${phraseOf(said)}`)
}

/** Of what was adopted, someone may have checked out another commit: it is what a failure goes back to, so it is kept. */
async function knowRelease({ site, run }: Work, head: string, scope: StepScope): Promise<void> {
  const { proven } = site.state
  if (!proven || site.releases.environmentOf(head) !== undefined) return
  await site.releases.make(head, scope.ask, run.order.project)
  site.releases.uses(head, proven.environment)
}

/** What a release's links lead to was made by the agent, and is the project's. */
async function giveLinked({ machine, site, run }: Work, path: string, scope: StepScope): Promise<void> {
  const user = userName(run.order.project.name)
  const place = join(site.layout.data, path)
  const isRoots = lstatSync(place, { throwIfNoEntry: false })?.uid === 0
  if (machine.custody.git && isRoots && identityOf(user)) await scope.ask(giveTree(place, user))
}

async function decide({ run, site }: Work, copy: WorkCopy): Promise<Decided> {
  const { kind, ref, sent_before, discard, only_for } = run.order
  await copy.prepare({ discard })
  const running = site.releases.current()
  const facts = await factsFor(run.order, copy, running)
  const isKeptRelease = facts.ref !== null && site.releases.has(facts.ref)
  const chosen = chooseCommit({
    kind,
    requestedRef: ref,
    facts,
    running,
    sentBefore: wasSentBefore(sent_before, facts.ref),
    isKeptRelease,
    isPush: only_for !== undefined,
  })
  const choice = only_for ? await filtered(chosen, only_for, copy) : chosen
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

/** Only what would be deployed is looked at: the rest is nothing, or a branch that was set back. */
async function filtered(choice: Choice, onlyFor: OnlyFor, copy: WorkCopy): Promise<Choice> {
  if (choice.outcome !== 'deploy') return choice
  const changedFiles = (since: string, to: string) => copy.changedFiles(since, to)
  const why = await whyUnchanged({ onlyFor, to: choice.sha, changedFiles })
  return why === undefined ? choice : { outcome: 'nothing', sha: choice.sha, why, unchanged: true }
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
export async function install(work: Work, { sha, outcome }: Decided, scope: StepScope): Promise<Placed> {
  const { machine, site, run } = work
  const { variables } = run.order
  const placing = site.placing(sha, run.order.project)
  const { project } = placing
  const made = await makeEnvironment({ machine, site, project, sha, label: run.shortId }, scope, hash =>
    run.journal.write({ entry: 'installing', environment: hash }),
  )
  if (made.done === 'built') scope.detail(`environment built: ${made.summary}`)
  else scope.skipped(`the environment for this dependency list is there (${made.summary})`)
  const isBack = outcome === 'rollback'
  return {
    ...placing,
    environment: made.hash,
    variables: isBack ? variables.rollback : variables.deploy,
  }
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
  const { layout } = site
  const { adopted, name } = placed.project
  const variables = {
    file: site.variables.fileOf(placed.variables),
    values: site.variables.valuesOf(placed.variables),
  }
  const place = adopted
    ? { user: adopted.user, writable: layout.work }
    : { user: userName(name), writable: layout.data }
  const { code } = await scope
    .run(machine.custody.preparing(program, { ...place, layout, run: run.shortId, variables }))
    .catch(error => {
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
