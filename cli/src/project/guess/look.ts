/** A project from the address of its repository: what is found there, what the options say, and answers for the rest. */
import { select, text } from '@clack/prompts'
import {
  type ProjectCreate,
  port as portSchema,
  type Runtime,
  repository as repositorySchema,
  slug,
} from '@quarterdeck/contract'
import { answer, asking, mayAsk, problemBy } from '../../asking.ts'
import { colours } from '../../colours.ts'
import { GuidedFault } from '../../fail.ts'
import { plain } from '../../plain.ts'
import { splitWords } from '../../words.ts'
import { type Address, addressOf } from './address.ts'
import { contentOf, type RepositoryContent, Unreadable } from './clone.ts'
import { needsPort, withPort } from './command-line.ts'
import { foundText } from './found-text.ts'
import { guess, lookedFor } from './guess.ts'
import type { Guess, GuessedProcess } from './guessed.ts'

export interface LookOptions {
  name?: string
  repository?: string
  branch?: string
  runtime?: Runtime
  port?: number
  /** After `--`. */
  start: readonly string[]
  process?: Readonly<Record<string, string[]>>
  yes?: true
  json?: true
}

export interface Looked {
  name: string
  /** What the options do not say; they go before it. */
  given: Partial<ProjectCreate>
}

/** Undefined: whoever was asked has broken off. */
export async function lookAt(first: string, options: LookOptions): Promise<Looked | undefined> {
  const address = addressOf(first)
  const content = await contentFor(address, options)
  const found = content ? guess(content.files, content.top) : { notes: [] }
  if (content && !options.json) {
    process.stderr.write(foundText(address, content, found, options))
  }
  return asking('Nothing was added.', async () => {
    const ask = mayAsk(options)
    const name = options.name ?? (await nameOf(address, ask))
    const repository = options.repository ?? (await repositoryOf(address, ask))
    const runtime = options.runtime ?? found.runtime?.value ?? (await runtimeOf(ask))
    const processes = await processesOf(found, options, ask)
    const given = {
      ...{ repository, git_url: address.gitUrl, runtime },
      ...(content && { branch: content.branch }),
      ...(processes.length > 0 && { processes }),
      ...(found.beforeRestart && { before_restart: found.beforeRestart.value }),
      ...(found.paths && { paths: found.paths.value }),
    }
    return { name, given: given as Partial<ProjectCreate> }
  })
}

/** What cannot be read from here may still be readable from the machines: options then say the rest. */
async function contentFor(
  { gitUrl }: Address,
  { branch, json }: LookOptions,
): Promise<RepositoryContent | undefined> {
  if (branch?.startsWith('-')) return undefined
  try {
    return await contentOf(gitUrl, lookedFor, { branch })
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { yellow } = colours(process.stderr)
    const sentence = `${plain(gitUrl)} cannot be read from here: ${plain(error.message)}. What it holds is left to you to say.`
    if (!json) process.stderr.write(`${yellow('!')} ${sentence}\n`)
    return undefined
  }
}

async function nameOf({ name }: Address, ask: boolean): Promise<string> {
  if (name) return name
  if (ask) return answer(text({ message: 'What is the project’s name?', validate: problemBy(slug) }))
  throw missing('The address tells no name that a project can have.', '--name NAME')
}

async function repositoryOf({ repository, name }: Address, ask: boolean): Promise<string> {
  if (repository) return repository
  if (ask) {
    const message = 'What does the forge call the repository? (owner/name)'
    return answer(text({ message, placeholder: `acme/${name}`, validate: problemBy(repositorySchema) }))
  }
  throw missing('The address does not tell what the forge calls the repository.', '--repository OWNER/NAME')
}

async function runtimeOf(ask: boolean): Promise<Runtime> {
  if (ask) {
    const options = [
      { value: 'python', label: 'Python' },
      { value: 'node', label: 'Node' },
    ] as const
    return answer(select({ message: 'What is it written in?', options: [...options] }))
  }
  throw missing('Nothing tells what the project is written in.', '--runtime python or --runtime node')
}

/** Empty: the options say it. */
async function processesOf(
  found: Guess,
  { start, process: named, port }: LookOptions,
  ask: boolean,
): Promise<GuessedProcess[]> {
  const guessed = found.processes?.value ?? []
  const isSaid = start.length > 0 || (named !== undefined && guessed.length === 0)
  if (isSaid) return guessed.filter(({ name }) => name !== 'web')
  const processes = guessed.length > 0 ? guessed : [{ name: 'web', start: await startOf(found, ask) }]
  if (!processes.some(process => needsPort(process.start))) return processes
  const chosen = port ?? (await portOf(ask))
  return processes.map(process => ({
    ...process,
    start: withPort(process.start, chosen),
    ...(process.name === 'web' && { port: chosen }),
  }))
}

async function startOf({ startHint }: Guess, ask: boolean): Promise<string[]> {
  if (!ask)
    throw missing(
      'Nothing tells how the project is started.',
      'its command after `--`, such as `-- python -m app`',
    )
  const message = 'How is it started? (program and arguments; no shell is involved)'
  const usual = startHint?.every(word => !/[\s'"]/.test(word)) ? startHint.join(' ') : undefined
  const validate = (value = '') => (splitWords(value)?.length ? undefined : 'a program and its arguments')
  return splitWords(await answer(text({ message, validate, ...(usual && { initialValue: usual }) })))!
}

async function portOf(ask: boolean): Promise<number> {
  if (!ask) throw missing('Its server takes the port as an argument, so one must be chosen.', '--port NUMBER')
  const message = 'Which port? (its server takes it as an argument)'
  const validate = (value = '') =>
    /^\d+$/.test(value) && portSchema.safeParse(Number(value)).success
      ? undefined
      : 'a number from 1 to 65535'
  return Number(await answer(text({ message, placeholder: '8400', validate })))
}

const missing = (sentence: string, option: string) =>
  new GuidedFault('invalid_fields', sentence, `Give ${option}.`)
