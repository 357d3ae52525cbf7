/** Finds the interpreter that a project asks for, and remembers who it is: a shim takes long to answer. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { RunFault } from '@quarterdeck/contract'
import { askNode } from '../commands/npm.ts'
import { askInterpreter } from '../commands/python.ts'
import type { Program } from '../runner.ts'
import { searchPath } from './installer-settings.ts'
import { answerOf, type Run } from './runtime.ts'

export interface Interpreter {
  /** The interpreter itself, not the shim that led to it. */
  readonly path: string
  readonly version: string
  readonly platform: string
  readonly abi: string
}

export interface InterpreterKind {
  /** What it is called where a project names none. */
  readonly usual: string
  /** In messages. */
  readonly title: string
  readonly versions: RegExp
  /** Prints `executable`, `version`, `platform` and `abi` as JSON. */
  ask(file: string, env: Readonly<Record<string, string>>): Program
}

export const python3: InterpreterKind = {
  usual: 'python3',
  title: 'a Python 3',
  versions: /^[3-9]\./,
  ask: askInterpreter,
}

export const node: InterpreterKind = {
  usual: 'node',
  title: 'a Node.js',
  versions: /^\d+\./,
  ask: askNode,
}

interface Known {
  readonly stamp: string
  readonly interpreter: Interpreter
  readonly itsStamp: string
}

export class Interpreters {
  readonly #env: Readonly<Record<string, string>>
  readonly #kind: InterpreterKind
  /** By the file as it was found: two environments may link to the same real one and still differ. */
  readonly #known = new Map<string, Known>()

  /** `env` is the whole environment in which interpreters are asked; they are looked for on its PATH. */
  constructor(env: Readonly<Record<string, string>>, kind: InterpreterKind = python3) {
    this.#env = env
    this.#kind = kind
  }

  /** The first on PATH that answers as what is looked for, since a shim may stand for a version that is not enabled. */
  async find(wanted: string | null, run: Run): Promise<Interpreter> {
    const name = wanted ?? this.#kind.usual
    const candidates = candidatesFor(name, searchPath(this.#env))
    for (const file of candidates) {
      const interpreter = await this.#ask(file, run)
      if (interpreter) return interpreter
    }
    throw new RunFault('interpreter_missing', notFound(name, this.#kind.title, candidates))
  }

  async #ask(file: string, run: Run): Promise<Interpreter | null> {
    const stamp = stampOf(file)
    const known = this.#known.get(file)
    if (known?.stamp === stamp && known.itsStamp === stampOf(known.interpreter.path)) return known.interpreter
    const interpreter = interpreterIn(
      await answerOf(run, this.#kind.ask(file, this.#env)),
      this.#kind.versions,
    )
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

/** What `start[0]` of a project is. A name that is nowhere stays: whoever starts it says that it does not exist. */
export function programFile(name: string, release: string, path: string): string {
  return name.includes('/') ? resolve(release, name) : (candidatesFor(name, path)[0] ?? name)
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

function interpreterIn(answer: string | null, versions: RegExp): Interpreter | null {
  try {
    const { executable, version, platform, abi } = JSON.parse(answer ?? 'null')
    return executable && versions.test(version) ? { path: executable, version, platform, abi } : null
  } catch {
    return null
  }
}

function notFound(name: string, title: string, candidates: readonly string[]): string {
  if (candidates.length > 0) return `${candidates.join(' and ')} did not answer as ${title}.`
  const where = name.includes('/') ? 'is no program with an absolute path' : 'is not on the PATH of the agent'
  return `The interpreter ${name} ${where}.`
}
