/** Questions on a terminal, and what comes of it when whoever was asked breaks off. */
import { isCancel } from '@clack/prompts'
import { interrupted } from './fail.ts'

export const mayAsk = ({ yes, json }: { yes?: true; json?: true }): boolean =>
  !yes && !json && process.stdin.isTTY === true && process.stdout.isTTY === true

const brokenOff = new Error('Whoever was asked has broken off.')

/** Only within `asking`. */
export async function answer<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
  const given = await asked
  if (isCancel(given)) throw brokenOff
  return given as Exclude<T, symbol>
}

/** Undefined: whoever was asked has broken off, and is told that `nothing` happened. */
export async function asking<T>(nothing: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error !== brokenOff) throw error
    process.stderr.write(`${nothing}\n`)
    process.exitCode = interrupted
    return undefined
  }
}

interface Schema {
  safeParse(value: unknown): { error?: { issues: { message: string }[] } | undefined }
}

/** What a schema of the contract says of an answer. */
export const problemBy =
  (schema: Schema) =>
  (value: string | undefined): string | undefined =>
    schema.safeParse(value ?? '').error?.issues[0]?.message
