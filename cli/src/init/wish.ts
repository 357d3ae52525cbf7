/** What is to be made: from options, from what is there, and on a terminal by asking for the rest. */
import { basename } from 'node:path'
import { select, text } from '@clack/prompts'
import { repository as repositorySchema, slug } from '@quarterdeck/contract'
import { InvalidArgumentError } from 'commander'
import { answer, asking, mayAsk, problemBy } from '../asking.ts'
import { GuidedFault } from '../fail.ts'
import type { Origin } from './repository-around.ts'
import { type Runtime, runtimes } from './runtimes.ts'

export interface Wish {
  runtime: Runtime
  name: string
  /** `owner/name`. */
  repository: string
  /** The forge’s host. */
  forge: string
}

export interface InitOptions extends Partial<Wish> {
  yes?: true
  json?: true
}

export interface Around {
  directory: string
  origin: Origin | undefined
}

/** Stands in commands and texts for an owner that nobody has told. */
export const unknownOwner = 'OWNER'

const maxName = 63

export const nameRule = (value: string): string => checked(value, slug)
export const repositoryRule = (value: string): string => checked(value, repositorySchema)

/** Undefined: whoever was asked has broken off. */
export function wishFrom(options: InitOptions, { directory, origin }: Around): Promise<Wish | undefined> {
  const asks = mayAsk(options)
  return asking('Nothing was made.', async () => {
    const runtime = options.runtime ?? (await runtimeOf(options, asks))
    const name = options.name ?? (await nameOf(directory, asks))
    const repository = options.repository ?? (await repositoryOf(name, origin, asks))
    return { runtime, name, repository, forge: origin?.host ?? 'github.com' }
  })
}

async function runtimeOf({ yes }: InitOptions, asks: boolean): Promise<Runtime> {
  if (asks) {
    const options = Object.entries(runtimes).map(([value, { title }]) => ({ value, label: title }))
    return (await answer(select({ message: 'What is it written in?', options }))) as Runtime
  }
  if (yes) return 'python'
  throw new GuidedFault(
    'invalid_fields',
    'Nothing says what the project is written in, and there is no terminal to ask on.',
    'Say it with --runtime python or --runtime node.',
  )
}

async function nameOf(directory: string, asks: boolean): Promise<string> {
  const usual = nameFrom(basename(directory))
  if (asks) {
    const message = 'What is the project’s name?'
    return answer(text({ message, initialValue: usual, validate: problemBy(slug) }))
  }
  if (usual) return usual
  throw new GuidedFault(
    'invalid_fields',
    `The directory’s name, ${JSON.stringify(basename(directory))}, cannot be that of a project.`,
    'Give one with --name: lower-case letters, digits and hyphens, starting with a letter.',
  )
}

async function repositoryOf(name: string, origin: Origin | undefined, asks: boolean): Promise<string> {
  const usual = origin?.repository
  if (!asks) return usual ?? `${unknownOwner}/${name}`
  const message = 'Which repository of the forge will it be? (owner/name)'
  const placeholder = `acme/${name}`
  const validate = problemBy(repositorySchema)
  return answer(text({ message, placeholder, validate, ...(usual && { initialValue: usual }) }))
}

/** The nearest name that a project can have; empty if there is none. */
export const nameFrom = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, maxName)
    .replace(/-$/, '')

type Schema = typeof slug | typeof repositorySchema

function checked(value: string, schema: Schema): string {
  const problem = problemBy(schema)(value)
  if (problem) throw new InvalidArgumentError(`It must be ${problem}.`)
  return value
}
