/** A project as a JSON document in a file or on standard input. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { ProjectCreate } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'

export async function readDocument(file: string): Promise<Partial<ProjectCreate>> {
  const where = file === '-' ? 'standard input' : file
  try {
    const value: unknown = JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw new Error('it is not an object')
  } catch (error) {
    throw new GuidedFault(
      'invalid_json',
      `No project could be read from ${where}: ${(error as Error).message}.`,
      'It takes one JSON object, such as `qd project show NAME --json` prints.',
      { cause: error },
    )
  }
}
