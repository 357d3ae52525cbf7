/** A program under measurement: started, waited for, read from /proc, ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const limitMs = 60_000

export interface Measurable {
  pid: number
  port: number
  /** From the start of the program to its first sign of being ready. */
  readyMs: number
  stop(): Promise<void>
}

/** Starts it and waits for a line of its output, of either kind, that the pattern matches; the first group is the port. */
export async function startProgram(
  file: string,
  args: string[],
  pattern: RegExp,
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Measurable> {
  const startedMs = performance.now()
  const child = spawn(file, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const port = await waitFor(child, pattern)
  return {
    pid: child.pid!,
    port,
    readyMs: performance.now() - startedMs,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The environment on a home of its own, as `qd up` starts it. */
export async function startEnvironment(
  file = process.execPath,
  args = [join(root, 'cli/src/main.ts'), 'up'],
): Promise<Measurable & { home: string }> {
  const home = mkdtempSync(join(tmpdir(), 'qd-bench-'))
  const program = await startProgram(
    file,
    [...args, '--home', home, '--port', '0', '--no-demo', '--json'],
    /"url":"http:\/\/localhost:(\d+)".*"msg":"ready"/,
  )
  return {
    ...program,
    home,
    async stop() {
      await program.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function waitFor(child: ChildProcess, pattern: RegExp): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const limit = setTimeout(() => reject(new Error(`not ready within ${limitMs} ms`)), limitMs)
  let seen = ''
  const look = (chunk: Buffer) => {
    seen += chunk
    const match = seen.match(pattern)
    if (match) resolve(Number(match[1]))
  }
  const streams = [child.stdout, child.stderr]
  for (const stream of streams) stream?.on('data', look)
  child.once('exit', code => reject(new Error(`it ended with ${code}: ${seen}`)))
  return promise.finally(() => {
    clearTimeout(limit)
    // What it writes from now on is read, so that it is not held up, and forgotten.
    for (const stream of streams) stream?.off('data', look).resume()
  })
}

/** Processor time used so far, user and system. */
export function cpuSeconds(pid: number): number {
  // The name, in parentheses, may hold spaces; the fields after it do not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

export const residentMegabytes = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmRSS:\s+(\d+) kB$/m)?.[1]) / 1024
