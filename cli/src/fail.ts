/** How a command ends when it fails: one sentence, the way out, an exit code by whose turn it is. */
import {
  type ErrorCode,
  type ErrorEntry,
  type ErrorFamily,
  Fault,
  type FaultContext,
  maskSecrets,
} from '@quarterdeck/contract'
import { CommanderError } from 'commander'
import { colours } from './colours.ts'
import { plain } from './plain.ts'

const usage = 2

const codes: Record<ErrorFamily, number> = { bug: 1, refused: 3, unreachable: 4 }

/** A run that failed was refused by the service or its own steps: whoever deploys can mend it. */
export const runFailed = codes.refused

/** Ended by Ctrl+C, as shells count it. */
export const interrupted = 130

/** A difference that was only to be shown, so that a job can tell. */
export const differs = 5

/** As the help and the README tell them. */
export const exitCodes = [
  { code: 0, meaning: 'done' },
  { code: codes.bug, meaning: 'something failed that should not have: a bug' },
  { code: usage, meaning: 'the command line is wrong' },
  {
    code: codes.refused,
    meaning:
      'refused: you can mend it (configuration, token, a run that failed, a service that breaks the contract)',
  },
  { code: codes.unreachable, meaning: 'another side does not answer (database, control, a service)' },
  { code: differs, meaning: 'what `qd apply --dry-run` shows differs from what is there' },
  { code: interrupted, meaning: 'stopped by Ctrl+C; a run that was followed goes on' },
]

/** A fault whose way out the command line knows better than the catalogue. */
export class GuidedFault extends Fault {
  readonly #remedy: string

  constructor(code: ErrorCode, detail: string, remedy: string, context: FaultContext = {}) {
    super(code, detail, context)
    this.#remedy = remedy
  }

  override get entry(): ErrorEntry {
    return { ...super.entry, remedy: this.#remedy }
  }
}

export function fail(error: unknown): void {
  // Commander has said what is wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usage
  else if (error instanceof Fault) failWith(error)
  else failUnexpected(error)
}

function failWith(fault: Fault): void {
  process.exitCode = codes[fault.entry.family]
  const { title, remedy } = fault.entry
  const detail = plain(maskSecrets(fault.message))
  if (wantsJson()) {
    const { code, fields } = fault
    printJson({ error: { code, title, detail, remedy, ...(fields.length > 0 && { errors: fields }) } })
    return
  }
  const { red, dim } = colours(process.stderr)
  // What the sentence has said already is not said again.
  const fields = fault.fields.filter(({ message }) => !detail.includes(message))
  const lines = fields.map(({ field, message }) => `  ${plain(`${field}: ${maskSecrets(message)}`)}\n`)
  process.stderr.write(`${red('✗')} ${detail}\n${lines.join('')}  ${dim(remedy)}\n`)
}

function failUnexpected(error: unknown): void {
  process.exitCode = codes.bug
  const text = maskSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error))
  if (wantsJson()) printJson({ error: { code: 'internal', title: 'Unexpected error', detail: text } })
  else
    process.stderr.write(
      `${colours(process.stderr).red('✗')} Something failed that should not have. Please report it:\n${text}\n`,
    )
}

/** Errors may come before the options were read. */
const wantsJson = () => process.argv.includes('--json')

export const printJson = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
