/** The runtime for Python projects: a virtual environment with what `requirements.txt` asks for. */
import { dirname, join } from 'node:path'
import type { PlacedProject } from '@quarterdeck/contract'
import type { Program } from '../runner.ts'
import { digest } from './fingerprint.ts'
import { searchPath, type Variables } from './installer-settings.ts'
import { Interpreters, programFile } from './interpreter.ts'
import { configurationFiles, indexSettings, installerEnvironment, readConfiguration } from './pip-settings.ts'
import { PythonInstaller } from './python-installer.ts'
import { putLink } from './release-link.ts'
import { readRequirements } from './requirements.ts'
import type { EnvironmentPlan, Place, Run, Runtime } from './runtime.ts'

/** Goes up when environments are built in another way, so that those built before are not taken for the new ones. */
const recipe = 1

export interface PythonRuntimeOptions {
  /** The agent's home; the caches of installers are in it. */
  readonly home: string
  /** The agent's own environment. PATH, HOME and what installers need of it are used, nothing else. */
  readonly env: Variables
  /** The files that configure pip on this machine; without them, those that pip reads. */
  readonly pipConfiguration?: readonly string[]
}

export class PythonRuntime implements Runtime {
  readonly name = 'python'
  readonly #installerEnv: Readonly<Record<string, string>>
  readonly #configuration: readonly string[]
  readonly #interpreters: Interpreters
  readonly #installer: PythonInstaller

  constructor({ home, env, pipConfiguration }: PythonRuntimeOptions) {
    this.#installerEnv = installerEnvironment(env, home)
    this.#configuration = pipConfiguration ?? configurationFiles(this.#installerEnv)
    this.#interpreters = new Interpreters(this.#installerEnv)
    this.#installer = new PythonInstaller(this.#installerEnv, this.#configuration)
  }

  async plan(release: string, project: PlacedProject, run: Run): Promise<EnvironmentPlan> {
    const interpreter = await this.#interpreters.find(project.interpreter, run)
    const [{ lists, count, identity }, configuration] = await Promise.all([
      readRequirements(release, this.#installerEnv),
      readConfiguration(this.#configuration),
    ])
    // An empty environment is the same whatever the lists and indexes that nothing is taken from.
    const content = count === 0 ? [] : [indexSettings(this.#installerEnv, configuration), identity]
    return {
      hash: digest([this.name, recipe, interpreter, content]),
      interpreter: { path: interpreter.path, version: interpreter.version },
      lists,
      empty: count === 0,
      summary: `${counted(count)}, Python ${interpreter.version}`,
    }
  }

  async build(plan: EnvironmentPlan, directory: string, release: string, _project: PlacedProject, run: Run) {
    await this.#installer.build(plan, directory, release, run)
  }

  /** A link `.venv`, where people and unit files look for it. A commit that brings its own keeps it. */
  async attach(release: string, environment: string): Promise<void> {
    await putLink(join(release, '.venv'), environment, [`${dirname(environment)}/`])
  }

  program(start: readonly string[], place: Place, added: Readonly<Record<string, string>>): Program {
    const bin = join(place.environment, 'bin')
    const env = {
      PATH: `${bin}:${searchPath(this.#installerEnv)}`,
      HOME: place.data,
      LANG: 'C.UTF-8',
      VIRTUAL_ENV: place.environment,
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      ...added,
    }
    const [name = '', ...args] = start
    return { file: programFile(name, place.release, `${bin}:${env.PATH}`), args, cwd: place.release, env }
  }
}

const counted = (count: number) =>
  count === 0 ? 'no requirements' : count === 1 ? '1 requirement' : `${count} requirements`
