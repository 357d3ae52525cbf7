/** How a command ends when it fails: one sentence, the way out, an exit code by whose turn it is. */
import { type ErrorFamily, Fault, maskSecrets } from '@quarterdeck/contract'
import { CommanderError } from 'commander'
import { colours } from './colours.ts'

const usage = 2

const codes: Record<ErrorFamily, number> = { bug: 1, refused: 3, unreachable: 4 }

/** As the help and the README tell them. */
export const exitCodes = [
  { code: 0, meaning: 'done' },
  { code: codes.bug, meaning: 'something failed that should not have: a bug' },
  { code: usage, meaning: 'the command line is wrong' },
  {
    code: codes.refused,
    meaning:
      'refused: you can mend it (configuration, port, home, token, a service that breaks the contract)',
  },
  { code: codes.unreachable, meaning: 'another side does not answer (database, control, a service)' },
]

export function fail(error: unknown): void {
  // Commander has said what is wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usage
  else if (error instanceof Fault) failWith(error)
  else failUnexpected(error)
}

function failWith(fault: Fault): void {
  process.exitCode = codes[fault.entry.family]
  const { title, remedy } = fault.entry
  const detail = maskSecrets(fault.message)
  if (wantsJson()) {
    const { code, fields } = fault
    printJson({ error: { code, title, detail, remedy, ...(fields.length > 0 && { errors: fields }) } })
    return
  }
  const { red, dim } = colours(process.stderr)
  process.stderr.write(`${red('✗')} ${detail}\n  ${dim(remedy)}\n`)
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
