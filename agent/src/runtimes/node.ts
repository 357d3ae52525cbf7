/** The runtime for Node projects: what `package.json` and its lock file ask for, installed by npm, production only. */
import { readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PlacedProject } from '@quarterdeck/contract'
import type { Program } from '../runner.ts'
import { digest } from './fingerprint.ts'
import { searchPath, type Variables } from './installer-settings.ts'
import { Interpreters, node, programFile } from './interpreter.ts'
import { binDirectory, NodeInstaller } from './node-installer.ts'
import { linkModules, refuseOwnModules } from './node-modules-link.ts'
import { type NodePackages, readPackages } from './node-packages.ts'
import { npmEnvironment, registrySettings } from './npm-settings.ts'
import type { EnvironmentPlan, Place, Run, Runtime } from './runtime.ts'

/** Goes up when environments are built in another way, so that those built before are not taken for the new ones. */
const recipe = 1

export interface NodeRuntimeOptions {
  /** The agent's home; npm's cache is in it. */
  readonly home: string
  /** The agent's own environment. PATH and what npm needs of it are used, nothing else. */
  readonly env: Variables
}

export class NodeRuntime implements Runtime {
  readonly name = 'node'
  readonly #npmEnv: Readonly<Record<string, string>>
  readonly #interpreters: Interpreters
  readonly #installer: NodeInstaller

  constructor({ home, env }: NodeRuntimeOptions) {
    this.#npmEnv = npmEnvironment(env, home)
    this.#interpreters = new Interpreters(this.#npmEnv, node)
    this.#installer = new NodeInstaller(this.#npmEnv)
  }

  async plan(release: string, project: PlacedProject, run: Run): Promise<EnvironmentPlan> {
    const interpreter = await this.#interpreters.find(project.interpreter, run)
    const packages = await readPackages(release)
    const { lists, empty, identity } = packages
    // An empty environment is the same whatever the registry that nothing is taken from.
    const content = empty ? [] : [await registrySettings(this.#npmEnv), identity]
    return {
      hash: digest([this.name, recipe, interpreter, content]),
      interpreter: { path: interpreter.path, version: interpreter.version },
      lists,
      empty,
      summary: `${counted(packages)}, Node ${interpreter.version}`,
    }
  }

  async build(plan: EnvironmentPlan, directory: string, release: string, _project: PlacedProject, run: Run) {
    if (!plan.empty) await refuseOwnModules(release, dirname(directory))
    await this.#installer.build(plan, directory, release, run)
  }

  async attach(release: string, environment: string): Promise<void> {
    await linkModules(release, environment)
  }

  program(start: readonly string[], place: Place, added: Readonly<Record<string, string>>): Program {
    // First, so that it is the interpreter which packages were built for, even where one of them is called node.
    const own = binDirectory(place.environment)
    const bins = join(place.environment, 'node_modules', '.bin')
    const path = [own, bins, ...interpreterDirectory(own), searchPath(this.#npmEnv)].join(':')
    const env = { PATH: path, HOME: place.data, LANG: 'C.UTF-8', NODE_ENV: 'production', ...added }
    const [name = '', ...args] = start
    return { file: programFile(name, place.release, `${path}:${env.PATH}`), args, cwd: place.release, env }
  }
}

/** With `npm` and `npx`, in most installations. */
function interpreterDirectory(bin: string): string[] {
  try {
    return [dirname(readlinkSync(join(bin, 'node')))]
  } catch {
    return []
  }
}

function counted({ count, empty, lock }: NodePackages): string {
  if (empty) return 'no dependencies'
  const many = count === 1 ? '1 dependency' : `${count} dependencies`
  return lock ? many : `${many} without a lock file`
}
