/** Asks before what cannot be undone easily. */
import { createInterface } from 'node:readline/promises'
import { GuidedFault } from './fail.ts'

/** False: the answer was no. Where nobody can answer it is refused. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new GuidedFault(
      'invalid_fields',
      'This needs a confirmation, and there is no terminal to ask on.',
      'Say it with --yes.',
    )
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `)
    const yes = /^y(es)?$/i.test(answer.trim())
    if (!yes) process.stderr.write('Nothing was changed.\n')
    return yes
  } finally {
    lines.close()
  }
}
