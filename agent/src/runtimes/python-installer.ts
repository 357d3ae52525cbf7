/**
 * Builds a virtual environment, in the quickest way that the machine has: uv; a pip from outside into an environment
 * without one; or the pip that every Python carries, put into the environment first.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as python from '../commands/python.ts'
import type { Program } from '../runner.ts'
import { searchPath } from './installer-settings.ts'
import { candidatesFor, stampOf } from './interpreter.ts'
import { installFault } from './pip-failure.ts'
import { readConfiguration, uvArguments } from './pip-settings.ts'
import { answerOf, type EnvironmentPlan, type Run, unlessStopped } from './runtime.ts'

type Env = Readonly<Record<string, string>>

/** Since then pip can install into an environment that it is not part of. */
const oldestOuterPip = [22, 3] as const

export class PythonInstaller {
  readonly #env: Env
  readonly #configuration: readonly string[]
  /** Interpreters whose pip can install from outside, by path, with their stamp. */
  readonly #outerPips = new Map<string, string>()

  /** `env` is the whole environment of installers; `configuration` are the files that pip reads. */
  constructor(env: Env, configuration: readonly string[]) {
    this.#env = env
    this.#configuration = configuration
  }

  async build(plan: EnvironmentPlan, directory: string, release: string, run: Run): Promise<void> {
    const uv = await this.#uv()
    await this.#makeVenv(uv, plan.interpreter.path, directory, run)
    if (!plan.empty) await this.#install(uv, plan, directory, release, run)
    // A machine without `sync` only loses what it is for.
    await answerOf(run, python.settle(directory, this.#env))
  }

  /** uv does not know pip's configuration files: where there are any, pip it is, lest their index be passed over. */
  async #uv(): Promise<string | undefined> {
    const [uv] = candidatesFor('uv', searchPath(this.#env))
    return uv && (await readConfiguration(this.#configuration)).length === 0 ? uv : undefined
  }

  async #makeVenv(uv: string | undefined, interpreter: string, directory: string, run: Run): Promise<void> {
    const program = uv
      ? python.makeVenvWithUv(uv, interpreter, directory, this.#env)
      : python.makeVenv(interpreter, directory, this.#env)
    await succeed(program, 'The making of the environment', run)
  }

  async #install(
    uv: string | undefined,
    plan: EnvironmentPlan,
    directory: string,
    release: string,
    run: Run,
  ): Promise<void> {
    // In here, so that a killed installer leaves nothing elsewhere and large packages do not fill a small /tmp.
    const temporary = join(directory, '.tmp')
    await mkdir(temporary)
    const env = { ...this.#env, TMPDIR: temporary }
    const outer = uv ? undefined : await this.#outerPip(plan.interpreter.path, run)
    const programs = uv
      ? [python.installWithUv(uv, directory, release, uvArguments(this.#env), env)]
      : outer
        ? [python.installFromOutside(outer, directory, release, env)]
        : [python.addPip(directory, env), python.installWithOwnPip(directory, release, env)]
    for (const program of programs) await succeed(program, 'The installation of requirements.txt', run)
    await rm(temporary, { recursive: true, force: true })
  }

  /** The interpreter's own pip, or that of any Python on PATH. Only a good answer is kept: pip may be added later. */
  async #outerPip(interpreter: string, run: Run): Promise<string | undefined> {
    for (const candidate of [interpreter, ...candidatesFor('python3', searchPath(this.#env))]) {
      const stamp = stampOf(candidate)
      if (this.#outerPips.get(candidate) === stamp) return candidate
      const answer = await answerOf(run, python.askPipVersion(candidate, this.#env))
      if (!isOuterPip(answer ?? '')) continue
      this.#outerPips.set(candidate, stamp)
      return candidate
    }
    return undefined
  }
}

async function succeed(program: Program, what: string, run: Run): Promise<void> {
  const result = unlessStopped(await run(program))
  if (result.code !== 0) throw installFault(result, what)
}

function isOuterPip(answer: string): boolean {
  const [major = 0, minor = 0] = (/^pip (\d+)\.(\d+)/.exec(answer) ?? []).slice(1).map(Number)
  return major > oldestOuterPip[0] || (major === oldestOuterPip[0] && minor >= oldestOuterPip[1])
}
