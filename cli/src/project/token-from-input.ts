/** A token from standard input, or from who is asked: never an argument, which everybody on the machine could read. */
import { text } from 'node:stream/consumers'
import { GuidedFault } from '../fail.ts'
import { askHidden } from '../var/hidden.ts'

export async function tokenFromInput(): Promise<string> {
  const given = process.stdin.isTTY ? await askHidden('Token: ') : await text(process.stdin)
  if (given.trim() !== '') return given.trim()
  throw new GuidedFault(
    'invalid_fields',
    'No token came on standard input.',
    'For example: qd project access hello --token-stdin < token.txt',
  )
}
