/** Why a program could not be started, in a sentence for people. */
import { existsSync } from 'node:fs'
import { RunFault } from '@quarterdeck/contract'
import type { Program } from '../runner.ts'

export function startFault(name: string, program: Program, error: unknown): RunFault {
  return new RunFault('restart_failed', `${name} could not be started: ${reasonOf(program, error)}.`, {
    cause: error,
  })
}

/** The system says ENOENT for three different things. */
function reasonOf({ file, cwd }: Program, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' && !existsSync(cwd)) return `its directory ${cwd} does not exist`
  if (code === 'ENOENT' && existsSync(file)) return `the interpreter named in ${file} does not exist`
  if (code === 'ENOENT') return `the program ${file} does not exist`
  if (code === 'EACCES') return `the program ${file} may not be run`
  return message
}
