/** What is sent with every request is mostly secret: its value is asked for or read, and never an argument. */
import { text } from 'node:stream/consumers'
import { GuidedFault } from '../fail.ts'
import { askHidden } from '../var/hidden.ts'

export const headerOption = [
  '--header <name>',
  'send this along, such as Authorization; its value is asked for, or read from standard input; repeatable',
  (name: string, before: string[] | false | undefined) => [...(before || []), name],
] as const

/** Undefined: none were named. */
export async function headersOf(
  names: readonly string[] | undefined,
): Promise<Record<string, string> | undefined> {
  if (names === undefined) return undefined
  if (process.stdin.isTTY) {
    const headers: Record<string, string> = {}
    for (const name of names) headers[name] = await askHidden(`${name}: `)
    return headers
  }
  if (names.length > 1)
    throw refused(`Standard input can hold the value of one header, and ${names.length} are named.`)
  const value = (await text(process.stdin)).trim()
  if (value === '') throw refused(`Nothing came on standard input for ${names[0]}.`)
  return { [names[0]!]: value }
}

const refused = (detail: string) =>
  new GuidedFault(
    'invalid_fields',
    detail,
    'Run it on a terminal, which asks for each, or give one by standard input: `--header Authorization < FILE`.',
  )
