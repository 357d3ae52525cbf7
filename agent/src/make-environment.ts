/** The environment that a release needs: there already, or built by the hands that may. */
import { mkdir, statfs } from 'node:fs/promises'
import { type PlacedProject, RunFault } from '@quarterdeck/contract'
import type { Machine } from './machine.ts'
import type { StepScope } from './open-run.ts'
import type { Program } from './runner.ts'
import type { RunResult, Runtime } from './runtimes/runtime.ts'
import type { Placed, Site } from './site.ts'

export interface Making {
  readonly machine: Machine
  readonly site: Site
  readonly project: PlacedProject
  /** Of the release, which is laid out. */
  readonly sha: string
  /** Tells it from other builds on the machine. */
  readonly label: string
}

export interface Made {
  readonly hash: string
  readonly done: 'built' | 'reused'
  /** In a phrase. */
  readonly summary: string
}

type Scope = Pick<StepScope, 'run' | 'ask' | 'log'>

/** `onPlan` hears which it will be, before anything is done. */
export async function makeEnvironment(
  making: Making,
  scope: Scope,
  onPlan: (hash: string) => Promise<void>,
): Promise<Made> {
  const { site, project, sha } = making
  const runtime = runtimeOf(making)
  const release = site.layout.release(sha)
  const plan = await runtime.plan(release, project, scope.ask)
  await onPlan(plan.hash)
  const done = await site.environments.ensure(plan, async directory => {
    await needSpace(making)
    scope.log(`building an environment: ${plan.summary}`)
    await mkdir(directory, { mode: 0o755 })
    await runtime.build(plan, directory, release, project, program =>
      builds(making, directory, program, scope),
    )
    const back = making.machine.custody.handing(directory, 'agent')
    if (back) await scope.ask(back)
  })
  await attach(making.machine, site, { sha, environment: plan.hash, project })
  return { hash: plan.hash, done, summary: plan.summary }
}

/** The release finds this environment from now on. It may have had another: the same commit with another interpreter. */
export async function attach(
  { runtimes }: Machine,
  { layout, releases }: Site,
  { sha, environment, project }: Pick<Placed, 'sha' | 'environment' | 'project'>,
): Promise<void> {
  await runtimes[project.runtime]?.attach?.(layout.release(sha), layout.environment(environment))
  releases.uses(sha, environment)
}

function runtimeOf({ machine, project }: Making): Runtime {
  const runtime = machine.runtimes[project.runtime]
  if (runtime) return runtime
  const detail = `The runtime ${project.runtime} is not there on ${machine.name}.`
  throw new RunFault('interpreter_missing', detail)
}

/** An installer, in the hands of the builder: what was laid out for it so far is handed over first. */
async function builds(
  { machine, site, label }: Making,
  environment: string,
  program: Program,
  scope: Scope,
): Promise<RunResult> {
  const { custody } = machine
  const handing = custody.handing(environment, 'builder')
  if (handing) await scope.ask(handing)
  return scope.run(custody.installing(program, { layout: site.layout, environment, run: label }))
}

async function needSpace({ machine, site }: Making): Promise<void> {
  const { bavail, bsize } = await statfs(site.layout.root)
  const { freeBytes } = machine.limits
  if (bavail * bsize >= freeBytes) return
  const [free, needed] = [bavail * bsize, freeBytes].map(bytes => `${Math.floor(bytes / 1024 ** 2)} MB`)
  throw new RunFault('disk_full', `Only ${free} are free at ${site.layout.root}; an install needs ${needed}.`)
}
