/** Finds the Python that a project asks for, and remembers who it is: a shim takes long to answer. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { askInterpreter } from '../commands/python.ts'
import { searchPath } from './pip-settings.ts'
import { answerOf, type Run } from './runtime.ts'

export interface Interpreter {
  /** The interpreter itself (`sys.executable`), not the shim that led to it. */
  readonly path: string
  readonly version: string
  readonly platform: string
  readonly abi: string
}

interface Known {
  readonly stamp: string
  readonly interpreter: Interpreter
  readonly itsStamp: string
}

export class Interpreters {
  readonly #env: Readonly<Record<string, string>>
  /** By the file as it was found: two environments may link to the same real one and still differ. */
  readonly #known = new Map<string, Known>()

  /** `env` is the whole environment in which interpreters are asked; they are looked for on its PATH. */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env
  }

  /** The first on PATH that answers as a Python 3, since a shim may stand for a version that is not enabled. */
  async find(wanted: string | null, run: Run): Promise<Interpreter> {
    const name = wanted ?? 'python3'
    const candidates = candidatesFor(name, searchPath(this.#env))
    for (const file of candidates) {
      const interpreter = await this.#ask(file, run)
      if (interpreter) return interpreter
    }
    throw new RunFault('interpreter_missing', notFound(name, candidates))
  }

  async #ask(file: string, run: Run): Promise<Interpreter | null> {
    const stamp = stampOf(file)
    const known = this.#known.get(file)
    if (known?.stamp === stamp && known.itsStamp === stampOf(known.interpreter.path)) return known.interpreter
    const interpreter = interpreterIn(await answerOf(run, askInterpreter(file, this.#env)))
    if (interpreter) this.#known.set(file, { stamp, interpreter, itsStamp: stampOf(interpreter.path) })
    return interpreter
  }
}

/** Every executable file of that name on a PATH, in its order; a name with a slash must be an absolute path. */
export function candidatesFor(name: string, path: string): string[] {
  if (name.includes('/')) return isAbsolute(name) && isExecutable(name) ? [name] : []
  const files = path
    .split(delimiter)
    .flatMap(directory => (isAbsolute(directory) ? [join(directory, name)] : []))
  return [...new Set(files)].filter(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Changes with the file: replaced, upgraded, or linked to another one. */
export function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file)
    return `${realpathSync(file)} ${mtimeMs} ${size} ${ino}`
  } catch {
    return 'gone'
  }
}

function interpreterIn(answer: string | null): Interpreter | null {
  try {
    const { executable, version, platform, abi } = JSON.parse(answer ?? 'null')
    return executable && /^[3-9]\./.test(version) ? { path: executable, version, platform, abi } : null
  } catch {
    return null
  }
}

function notFound(name: string, candidates: readonly string[]): string {
  if (candidates.length > 0) return `${candidates.join(' and ')} did not answer as a Python 3.`
  const where = name.includes('/') ? 'is no program with an absolute path' : 'is not on the PATH of the agent'
  return `The interpreter ${name} ${where}.`
}
