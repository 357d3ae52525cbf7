/** The text of a file or of standard input, as far as anybody would write one. */
import { open } from 'node:fs/promises'
import { GuidedFault } from '../fail.ts'

const mostBytes = 4 * 1024 * 1024

/** `-` is standard input. */
export async function readBounded(file: string): Promise<string> {
  const name = nameOf(file)
  try {
    const source = file === '-' ? process.stdin : (await open(file)).createReadStream()
    const pieces: Buffer[] = []
    let bytes = 0
    for await (const piece of source as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > mostBytes) throw new Error('it is larger than 4 MiB')
      pieces.push(Buffer.from(piece))
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch (error) {
    throw new GuidedFault(
      'invalid_fields',
      `${name} cannot be read: ${(error as Error).message}.`,
      'Name a file of YAML in UTF-8, such as `qd export` writes, or - for standard input.',
      { cause: error },
    )
  }
}

export const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)
