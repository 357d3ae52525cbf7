/** A Prometheus that is started here, on loopback alone, with its data in the home: kept running, and ended with us. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { configFile } from '../../generated-files.ts'

const firstWaitMs = 1000
const longestWaitMs = 60_000
/** One that has run for so long has not failed at its start. */
const wellMs = 60_000
const stopLimitMs = 10_000
/** Of what it says, for the log. */
const keptText = 4000

export interface ProgramOptions {
  readonly program: string
  readonly home: string
  readonly log: Logger
  readonly retention?: string
}

export class PrometheusProgram {
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined
  #port: string | undefined
  #said = ''
  #heard = 0
  #waitMs = firstWaitMs
  #hasEnded = false
  #wake = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: ProgramOptions) {
    this.#options = options
  }

  /** Undefined while it does not listen. */
  get url(): string | undefined {
    return this.#port === undefined ? undefined : `http://127.0.0.1:${this.#port}`
  }

  /** The last line that it said; for whoever wonders why it does not run. */
  get lastWords(): string {
    const lines = this.#said.trim().split('\n')
    return (
      lines.findLast(line => /level=(error|ERROR)|"?level"?:"?error|^Error/.test(line)) ?? lines.at(-1) ?? ''
    )
  }

  /** What it said to be wrong since this many characters: its answer to a reload names neither file nor line. */
  errorsSince(said: number): string[] {
    const lines = this.#said.slice(Math.max(0, this.#said.length - (this.#heard - said))).split('\n')
    return lines.flatMap(line => {
      const error = /level=(?:error|ERROR)\b.*\berr="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
      return error === undefined
        ? []
        : [error.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))]
    })
  }

  /** How much it has said so far. */
  get heard(): number {
    return this.#heard
  }

  async start(): Promise<void> {
    await endFormer(this.#data, this.#options.log)
    this.#running = this.#keepRunning()
  }

  /** Tries at once, if it is waiting to be started again. */
  wake(): void {
    this.#waitMs = firstWaitMs
    this.#wake.abort()
  }

  async stop(): Promise<void> {
    this.#hasEnded = true
    this.#wake.abort()
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs)
      await ended
      clearTimeout(limit)
    }
    await this.#running
    rmSync(pidFile(this.#data), { force: true })
  }

  get #data(): string {
    return join(this.#options.home, 'prometheus')
  }

  async #keepRunning(): Promise<void> {
    const { log } = this.#options
    while (!this.#hasEnded) {
      const startedMs = performance.now()
      const how = await this.#runOnce()
      if (this.#hasEnded) return
      if (performance.now() - startedMs > wellMs) this.#waitMs = firstWaitMs
      log.error(
        { how, said: this.lastWords, again_in_s: this.#waitMs / 1000 },
        'Prometheus has ended, and is started again',
      )
      this.#wake = new AbortController()
      await wait(this.#waitMs, undefined, { signal: this.#wake.signal }).catch(() => undefined)
      this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2)
    }
  }

  /** Resolves when it has ended, with how. */
  async #runOnce(): Promise<string> {
    const { program, home, retention = '15d' } = this.#options
    mkdirSync(this.#data, { recursive: true, mode: 0o700 })
    const args = [
      `--config.file=${configFile(home)}`,
      `--storage.tsdb.path=${this.#data}`,
      `--storage.tsdb.retention.time=${retention}`,
      '--web.listen-address=127.0.0.1:0',
      '--web.enable-lifecycle',
      // By default the clock of a `for` of ten minutes or less begins anew with a restart.
      '--rules.alert.for-grace-period=0s',
    ]
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    this.#said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#hear(text))
    try {
      if (child.pid !== undefined) writeFileSync(pidFile(this.#data), `${child.pid}\n`, { mode: 0o600 })
      const [code, signal] = await once(child, 'exit')
      return signal ?? `exit code ${code}`
    } catch (error) {
      return `${program} cannot be started (${(error as NodeJS.ErrnoException).code})`
    } finally {
      this.#port = undefined
    }
  }

  #hear(text: string): void {
    this.#heard += text.length
    this.#said = (this.#said + text).slice(-keptText)
    // It first repeats the port that it was given, 0, and then tells the one that it took.
    this.#port ??= this.#said.match(/address=127\.0\.0\.1:([1-9]\d*)/)?.[1]
  }
}

const pidFile = (data: string): string => join(data, 'quarterdeck.pid')

/** Of a former life that was killed: two on the same data would not run. */
async function endFormer(data: string, log: Logger): Promise<void> {
  const pid = formerPid(data)
  if (pid === undefined) return
  log.warn({ pid }, 'a Prometheus of a former life still runs on the home, and is ended')
  signal(pid, 'SIGTERM')
  const endMs = performance.now() + stopLimitMs
  while (formerPid(data) === pid) {
    if (performance.now() > endMs) signal(pid, 'SIGKILL')
    await wait(50)
  }
}

/** It may have ended by itself meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A process of that number which is not ours has another command line. */
function formerPid(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(pidFile(data), 'utf8'))
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return command.includes(`--storage.tsdb.path=${data}`) ? pid : undefined
  } catch {
    return undefined
  }
}
