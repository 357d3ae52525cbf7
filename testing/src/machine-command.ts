/** A program run to its end, with a limit after which it and whatever it started are ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Ran {
  /** null when a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  input?: string | undefined
  env?: NodeJS.ProcessEnv | undefined
  limitMs?: number | undefined
}

const defaultLimitMs = 60_000

export async function command(argv: readonly string[], options: CommandOptions = {}): Promise<Ran> {
  const { input, env = process.env, limitMs = defaultLimitMs } = options
  const [file = '', ...args] = argv
  // A group of its own: nsenter waits for a child, which would outlive it.
  const child = spawn(file, args, { env, detached: true, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  // What ends before it has read its input is judged by its exit code.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  let late = false
  const limit = setTimeout(() => {
    late = true
    endGroup(child.pid!)
  }, limitMs)
  const [code] = await once(child, 'close').finally(() => clearTimeout(limit))
  if (late) throw new Error(`${argv.join(' ')} did not end within ${limitMs} ms.\n${stdout}${stderr}`)
  return { code, stdout, stderr }
}

/** What it printed; throws with all of it when it fails. */
export async function succeed(argv: readonly string[], options?: CommandOptions): Promise<string> {
  return outputOf(argv, await command(argv, options))
}

export function outputOf(argv: readonly string[], { code, stdout, stderr }: Ran): string {
  if (code === 0) return stdout
  throw new Error(`${argv.join(' ')} ended with ${code}.\n${stdout}${stderr}`)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended at this very moment.
  }
}
