/** The only place of the installation that starts programs: argument arrays, to their end. */
import { spawnSync } from 'node:child_process'

/** A stop waits for requests under way, a start for nothing. */
const limitMs = 120_000

export interface Ran {
  /** null: it could not be started, or a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
}

export function run(file: string, ...args: string[]): Ran {
  const env = { ...process.env, LC_ALL: 'C' }
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', timeout: limitMs, env })
  return { code: status, stdout: stdout ?? '', stderr: error ? error.message : stderr }
}

/** What it printed; throws with what it said when it fails. */
export function must(file: string, ...args: string[]): string {
  const { code, stdout, stderr } = run(file, ...args)
  if (code === 0) return stdout
  throw new Error(`${[file, ...args].join(' ')} ended with ${code}: ${(stderr || stdout).trim()}`)
}
