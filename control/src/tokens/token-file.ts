/** Where the operator's token of a machine lies. Imports nothing of control: every command of `qd` reads it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const operatorTokenName = 'operator.token'

export const operatorTokenFile = (home: string) => join(home, operatorTokenName)

export function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
