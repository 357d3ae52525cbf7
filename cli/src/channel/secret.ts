/** What a channel is kept secret by comes by standard input, or is typed unseen: never as an argument. */
import { text } from 'node:stream/consumers'
import { GuidedFault } from '../fail.ts'
import { askHidden } from '../var/hidden.ts'

export async function secretOf(what: string, fromStdin: boolean): Promise<string> {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  const given = fromStdin
    ? (await text(process.stdin)).trim()
    : isTerminal
      ? (await askHidden(`${what}: `)).trim()
      : ''
  if (given !== '') return given
  throw new GuidedFault(
    'invalid_fields',
    `There is no secret to send with: ${what.toLowerCase()}.`,
    'Give it on standard input, with --secret-stdin.',
  )
}
