/** The command line: one verb per file. */
import { fail } from './fail.ts'
import { createProgram } from './program.ts'
import { closeUmask } from './umask.ts'

// What is written holds secrets: for this user alone, unless a command says otherwise.
closeUmask()

// Whoever reads may have enough, as in `qd logs hello | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

try {
  await createProgram().parseAsync()
} catch (error) {
  fail(error)
}
