/**
 * The door to what a project's programs run on. A runtime says which environment a release needs, builds it, and says
 * how a program is started in it. It starts nothing itself: everything goes through the `Run` that it is given, which
 * knows the step's time limit, its cancel and its log.
 */
import type { PlacedProject } from '@quarterdeck/contract'
import type { Program } from '../runner.ts'

export interface RunResult {
  /** Null: ended by a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  readonly cancelled: boolean
}

export type Run = (program: Program) => Promise<RunResult>

export interface EnvironmentPlan {
  /** Names the environment: 32 hexadecimal digits, short because scripts carry the path in their first line. */
  readonly hash: string
  readonly interpreter: { readonly path: string; readonly version: string }
  /** The dependency lists that were read, relative to the release. */
  readonly lists: readonly string[]
  /** There is nothing to install. */
  readonly empty: boolean
  /** One phrase for the log, such as `12 requirements, Python 3.11.2`. */
  readonly summary: string
}

/** Where a program of a release runs. */
export interface Place {
  readonly release: string
  readonly environment: string
  /** The only place that it may write. */
  readonly data: string
}

export interface Runtime {
  readonly name: PlacedProject['runtime']

  /**
   * Identifies the environment that this release needs, by its dependency list with all that belongs to it, the
   * interpreter and the platform. Takes milliseconds once the interpreter is known. Throws a `RunFault`
   * (`interpreter_missing`, `install_failed`), or `Stopped`.
   */
  plan(release: string, project: PlacedProject, run: Run): Promise<EnvironmentPlan>

  /**
   * Builds it at its final place, because a renamed environment's scripts do not start. What it leaves behind when it
   * throws is the caller's to remove (`Environments.ensure` does). Throws a `RunFault` (`install_failed`, `disk_full`),
   * or `Stopped`.
   */
  build(
    plan: EnvironmentPlan,
    directory: string,
    release: string,
    project: PlacedProject,
    run: Run,
  ): Promise<void>

  /**
   * Makes the environment findable from the release, which was laid out before it: a link, put in place in one rename.
   * Called before a program of the release starts, and again whenever the release gets another environment. Throws a
   * `RunFault` (`install_failed`) where the commit itself brings what should be the link and cannot do without.
   */
  attach?(release: string, environment: string): Promise<void>

  /**
   * How a program of the release is started. `start[0]` without a slash is looked up in the environment, then on PATH;
   * with one it is a path, from the release. What the caller adds to the environment goes before what the runtime sets.
   */
  program(start: readonly string[], place: Place, env: Readonly<Record<string, string>>): Program
}

/**
 * A program was ended because its time was up or its run was cancelled. Not a `RunFault`: only the caller, who set the
 * limit and heard the cancel, knows what to make of it.
 */
export class Stopped extends Error {
  readonly why: 'timed_out' | 'cancelled'

  constructor(why: 'timed_out' | 'cancelled') {
    super(why === 'timed_out' ? 'The time limit was reached.' : 'It was cancelled.')
    this.name = 'Stopped'
    this.why = why
  }
}

/** Lets a result pass that is the program's own doing, and throws `Stopped` for one that is the caller's. */
export function unlessStopped(result: RunResult): RunResult {
  if (result.cancelled) throw new Stopped('cancelled')
  if (result.timedOut) throw new Stopped('timed_out')
  return result
}

/** What a program that is only asked something says; null if it fails or cannot be started. */
export async function answerOf(run: Run, program: Program): Promise<string | null> {
  const result = await run(program).catch(error => {
    if (error?.code && error.syscall?.startsWith('spawn')) return null
    throw error
  })
  return result && unlessStopped(result).code === 0 ? result.stdout : null
}
