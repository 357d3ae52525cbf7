/**
 * Builds a Node environment: what npm reads of the release is copied, never linked, so that an environment outlives the
 * release that it was built for; npm installs there.
 */
import { cp, mkdir, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { installByLock, installNewest, type Npm } from '../commands/npm.ts'
import { settle } from '../commands/python.ts'
import { searchPath } from './installer-settings.ts'
import { candidatesFor } from './interpreter.ts'
import { isNotOfPackage } from './node-locals.ts'
import { isNotOfCommit, type NodePackages, readPackages } from './node-packages.ts'
import { npmFault } from './npm-failure.ts'
import { answerOf, type EnvironmentPlan, type Run, unlessStopped } from './runtime.ts'

type Env = Readonly<Record<string, string>>

export class NodeInstaller {
  readonly #env: Env

  /** `env` is the whole environment of npm and of install scripts. */
  constructor(env: Env) {
    this.#env = env
  }

  async build({ interpreter, empty }: EnvironmentPlan, directory: string, given: string, run: Run) {
    const release = await realpath(given)
    const packages = await readPackages(release)
    await mkdir(directory, { recursive: true })
    await copyPackages(packages, release, directory)
    // After the copy, which must find no link here to write through.
    await makeOwn(directory, interpreter.path)
    if (!empty) await this.#install(packages, interpreter.path, directory, run)
    // A machine without `sync` only loses what it is for.
    await answerOf(run, settle(directory, this.#env))
  }

  async #install(packages: NodePackages, node: string, directory: string, run: Run): Promise<void> {
    const npm = await this.#npm(node)
    // In here, so that a killed npm leaves nothing elsewhere and large packages do not fill a small /tmp.
    // Not deeper: scripts may have put links in there when it is removed.
    const temporary = join(directory, '.quarterdeck-tmp')
    await rm(temporary, { recursive: true, force: true })
    await mkdir(temporary)
    const path = `${binDirectory(directory)}:${dirname(node)}:${searchPath(this.#env)}`
    const env = { ...this.#env, PATH: path, TMPDIR: temporary }
    const program = packages.lock ? installByLock(npm, directory, env) : installNewest(npm, directory, env)
    const result = unlessStopped(await run(program))
    if (result.code !== 0) throw npmFault(result)
    await rm(temporary, { recursive: true, force: true })
    // Only npm needed it, and there may be a password in it.
    await rm(join(directory, '.npmrc'), { force: true })
  }

  /** The one that came with the interpreter, else any; started by the interpreter, unless it is some program's shim. */
  async #npm(node: string): Promise<Npm> {
    const [npm] = candidatesFor('npm', `${dirname(node)}:${searchPath(this.#env)}`)
    if (!npm) {
      const where = `beside ${node} or on the PATH of the agent`
      throw new RunFault('install_failed', `There is no npm ${where} that could install package.json.`)
    }
    const script = await realpath(npm)
    return script.endsWith('.js') ? { file: node, args: [script] } : { file: npm, args: [] }
  }
}

/** Where the environment's own things are, apart from what is copied from the release. */
const ownDirectory = (environment: string) => join(environment, '.quarterdeck')

/** With the interpreter as `node`: an environment knows its own, as a virtual environment does. */
export const binDirectory = (environment: string): string => join(ownDirectory(environment), 'bin')

async function makeOwn(directory: string, node: string): Promise<void> {
  await rm(ownDirectory(directory), { recursive: true, force: true })
  await mkdir(binDirectory(directory), { recursive: true })
  await symlink(node, join(binDirectory(directory), 'node'))
}

async function copyPackages(packages: NodePackages, release: string, directory: string): Promise<void> {
  if (packages.runsScripts) return await copyTree(release, directory, isNotOfCommit)
  for (const path of packages.lists) await copyFile(join(release, path), join(directory, path))
  for (const path of packages.locals)
    await copyTree(await realpath(join(release, path)), join(directory, path), isNotOfPackage)
}

async function copyFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await cp(await realpath(from), to)
}

async function copyTree(from: string, to: string, isLeftOut: (path: string) => boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const filter = (source: string) => source === from || !isLeftOut(relative(from, source))
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter })
}
