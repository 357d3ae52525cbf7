/**
 * The variables of a project on this machine, one file for each set of them, for the agent's user alone. The one in use is
 * behind a link, so that a unit file never changes with them.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { noVariables, RunFault, type VariableSet, variableSetId } from '@quarterdeck/contract'
import { writeWhole } from '../whole-file.ts'
import { environmentText, readEnvironmentText } from './environment-file.ts'
import { type Mask, maskOf } from './mask.ts'

const heading = '# secrets:'

export class KeptVariables {
  /** What is in use; there is none before the first variables. */
  readonly file: string
  readonly #directory: string

  /** `root` is the project's place on this machine. */
  constructor(root: string) {
    this.file = join(root, 'variables.env')
    this.#directory = join(root, 'variables')
  }

  /** On disk when it returns. The same set again changes nothing. */
  keep({ id, values, secrets }: VariableSet): void {
    if (id === noVariables || this.#text(id) !== undefined) return
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    writeWhole(this.fileOf(id), `${heading} ${secrets.join(' ')}\n${environmentText(values)}`, 0o600)
  }

  fileOf(id: string): string {
    return join(this.#directory, `${variableSetId.parse(id)}.env`)
  }

  valuesOf(id: string): Record<string, string> {
    return readEnvironmentText(this.#needed(id))
  }

  /** Units that are started from now on get these, in one rename. */
  use(id: string): void {
    if (this.inUse() === id) return
    this.#needed(id)
    const made = `${this.file}.new`
    rmSync(made, { force: true })
    // The set without any has no file: then nothing is behind the link.
    symlinkSync(join(basename(this.#directory), `${id}.env`), made)
    renameSync(made, this.file)
  }

  inUse(): string {
    try {
      return basename(readlinkSync(this.file), '.env')
    } catch {
      return noVariables
    }
  }

  /** Hides the secrets of every set that is kept: a log may show one that is no longer in use. */
  mask(): Mask {
    return maskOf(this.#kept().flatMap(id => secretsIn(this.#text(id) ?? '')))
  }

  forgetAllBut(ids: readonly string[]): void {
    const gone = this.#kept().filter(id => id !== this.inUse() && !ids.includes(id))
    for (const id of gone) rmSync(this.fileOf(id), { force: true })
  }

  /** Secrets of what is gone are nobody's. */
  forget(): void {
    rmSync(this.file, { force: true })
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #needed(id: string): string {
    if (id === noVariables) return ''
    const text = this.#text(id)
    if (text !== undefined) return text
    throw new RunFault('restart_failed', 'The variables that it is started with are not on this machine.')
  }

  #kept(): string[] {
    try {
      return readdirSync(this.#directory).flatMap(name => /^([0-9a-f]{32})\.env$/.exec(name)?.[1] ?? [])
    } catch {
      return []
    }
  }

  #text(id: string): string | undefined {
    try {
      return readFileSync(this.fileOf(id), 'utf8')
    } catch {
      return undefined
    }
  }
}

function secretsIn(text: string): string[] {
  const names = text.slice(heading.length, text.indexOf('\n')).split(' ').filter(Boolean)
  const values = readEnvironmentText(text)
  return names.flatMap(name => values[name] ?? [])
}
