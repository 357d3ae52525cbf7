/** The only place of the agent that starts programs. Never a shell: a program is a file and a list of arguments. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Identity } from './identity.ts'
import { Output } from './output.ts'
import { endGroup, isGroupGone, tagVariable } from './processes.ts'

/** How long a program that is told to end may take. */
const endGraceMs = 3000
const endingLimitMs = 20_000
const never = new AbortController().signal

/** A program to run, as data: `commands/` makes these. */
export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** Written to its standard input, which is else empty. */
  readonly input?: string
  /** Without one it runs as the agent itself. */
  readonly identity?: Identity
  /** What ends the work that this program only waits for, such as a unit of systemd: run first when it is to end. */
  readonly ending?: Program
}

export interface RunOptions {
  /** Aborted: the program is ended, with all that it started in its group. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Cleaned and masked, of both streams, as they come. */
  readonly onLine?: (line: string) => void
  /** In its environment as QUARTERDECK_TAG: after a crash of the agent, strays are found by it. */
  readonly tag: string
  /** Of each stream; what comes after it is read and dropped. */
  readonly maxCaptureBytes?: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Finished extends Exit {
  /** As it was written: neither cleaned nor masked. */
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  readonly cancelled: boolean
}

export interface Launched {
  readonly pid: number
  readonly exited: Promise<Exit>
}

/** Runs the program to its end, whichever way that comes. Rejects only if it cannot be started. */
export async function run(program: Program, options: RunOptions): Promise<Finished> {
  if (options.signal.aborted) return neverStarted
  const child = spawn(program.file, program.args, {
    ...placeOf(program, options.tag),
    stdio: [program.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const exited = exitOf(child)
  await once(child, 'spawn')
  const stdout = new Output(child.stdout!, options)
  const stderr = new Output(child.stderr!, options)
  feed(child, program.input)
  const limits = holdTo(options, async () => {
    if (program.ending) await run(program.ending, { ...options, signal: never, timeoutMs: endingLimitMs })
    await endGroup(child.pid!, { graceMs: endGraceMs })
  })
  try {
    const exit = await exited
    const { timedOut, cancelled } = await limits.release()
    await Promise.all([stdout.end(), stderr.end()])
    if (!isGroupGone(child.pid!)) await endGroup(child.pid!, { graceMs: endGraceMs })
    return { ...exit, stdout: stdout.text(), stderr: stderr.text(), timedOut, cancelled }
  } finally {
    await limits.release()
  }
}

/** Starts a program that lives on without the agent. Resolves when it is started; rejects if it cannot be. */
export async function launch(
  program: Program,
  { logFile, tag }: { logFile: string; tag: string },
): Promise<Launched> {
  const log = openSync(logFile, 'a', 0o600)
  try {
    // Straight to the file: a pipe would break with the agent.
    const child = spawn(program.file, program.args, {
      ...placeOf(program, tag),
      stdio: ['ignore', log, log],
    })
    child.unref()
    const exited = exitOf(child)
    await once(child, 'spawn')
    return { pid: child.pid!, exited }
  } finally {
    closeSync(log)
  }
}

const neverStarted: Finished = {
  code: null,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  cancelled: true,
}

/** Detached is a session and group of its own: signals to the agent do not reach it, and it can be ended as one. */
function placeOf(program: Program, tag: string) {
  const { uid, gid } = program.identity ?? {}
  return {
    cwd: program.cwd,
    env: { ...program.env, [tagVariable]: tag },
    detached: true,
    // Node takes away the agent's other groups with it.
    ...(uid !== undefined && gid !== undefined && { uid, gid }),
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>()
  child.once('error', reject)
  child.once('exit', (code, signal) => resolve({ code, signal }))
  // Who waits for the start hears of an error there.
  promise.catch(() => undefined)
  return promise
}

/** A program that does not read its input to the end breaks the pipe; that is its own affair. */
function feed(child: ChildProcess, input: string | undefined): void {
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
}

/** Ends the program when it is cancelled or its time is up; `release` waits until that is done, if it has begun. */
function holdTo({ signal, timeoutMs }: RunOptions, end: () => Promise<void>) {
  const why = { timedOut: false, cancelled: false }
  let ending: Promise<void> | undefined
  const begin = (reason: keyof typeof why) => {
    if (ending) return
    why[reason] = true
    ending = end()
    // Awaited in release, which may come later.
    ending.catch(() => undefined)
  }
  const cancel = () => begin('cancelled')
  const timer = setTimeout(() => begin('timedOut'), timeoutMs)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  return {
    async release() {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      await ending
      return why
    },
  }
}
