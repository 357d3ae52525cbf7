/** The values that a command is given: as NAME=VALUE, in a file, on standard input, or by who is asked. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { variableName, variableValue } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'
import { plain } from '../plain.ts'
import { readEnvFile } from './env-file.ts'
import { askHidden } from './hidden.ts'

export interface GivenOptions {
  envFile?: string
}

export interface Given {
  values: Map<string, string>
  /** Those that everybody could read on the way. */
  inCommandLine: string[]
}

export async function givenValues(words: readonly string[], { envFile }: GivenOptions): Promise<Given> {
  const values = new Map<string, string>()
  const inCommandLine: string[] = []
  const bare: string[] = []
  const add = (name: string, value: string) => {
    refuseName(name)
    if (values.has(name)) throw twice(name)
    const { error } = variableValue.safeParse(value)
    if (error) throw refused(`The value of ${name} cannot be: ${error.issues[0]!.message}.`)
    values.set(name, value)
  }
  if (envFile !== undefined) for (const [name, value] of await fileValues(envFile)) add(name, value)
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 0) bare.push(word)
    else {
      add(word.slice(0, at), word.slice(at + 1))
      inCommandLine.push(word.slice(0, at))
    }
  }
  for (const name of bare) refuseName(name)
  for (const [name, value] of await unspoken(bare)) add(name, value)
  if (values.size === 0) throw refused('No variables were given.')
  return { values, inCommandLine }
}

async function fileValues(file: string): Promise<[string, string][]> {
  const content = await readFile(file, 'utf8').catch(error => {
    throw refused(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  })
  return readEnvFile(content, file)
}

/** Of names alone: asked for one by one on a terminal; else there is one input, so there can be one name. */
async function unspoken(names: readonly string[]): Promise<[string, string][]> {
  if (names.length === 0) return []
  if (process.stdin.isTTY) {
    const answers: [string, string][] = []
    for (const name of names) answers.push([name, await askHidden(`${name}: `)])
    return answers
  }
  if (names.length > 1) {
    throw refused(`Standard input can hold the value of one variable, and ${names.length} have none.`)
  }
  const value = await text(process.stdin)
  if (value === '') throw refused(`Nothing came on standard input for ${names[0]}.`)
  // The line feed that ends what a program prints; a file's inner ones stay.
  return [[names[0]!, value.replace(/\r?\n$/, '')]]
}

function refuseName(name: string): void {
  const { error } = variableName.safeParse(name)
  if (error)
    throw refused(
      `${plain(JSON.stringify(name.slice(0, 40)))} cannot be a name: ${error.issues[0]!.message}.`,
    )
}

const twice = (name: string) => refused(`${name} is given twice.`)

const refused = (detail: string) =>
  new GuidedFault('invalid_fields', detail, '`qd var set --help` shows how variables are given.')
