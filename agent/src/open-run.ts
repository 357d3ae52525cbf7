/** A run at work on this machine: its journal, its log, the steps it has come through, and what may end it early. */
import { setMaxListeners } from 'node:events'
import { RunFault, type RunOrder, type RunProgress, type StepName } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import { type Journal, lastOf, type StepState } from './journal.ts'
import { linesOf } from './lines.ts'
import type { RunLog } from './run-log.ts'
import { type Program, run } from './runner.ts'
import { type Run, Stopped } from './runtimes/runtime.ts'
import { type Mask, noMask } from './variables/mask.ts'

/** The step's own limit ends its programs. */
const neverMs = 86_400_000
/** Lists of files are long in large repositories. */
const maxCaptureBytes = 64 * 1024 * 1024
/** Of a program that failed to answer. */
const shownLines = 20

type Change = (part: Partial<StepState>) => void

/** Someone asked for the end of the run. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled'
}

/** The agent ends; the run goes on when it is there again. */
export class AgentStopping extends Error {
  override readonly name = 'AgentStopping'
}

export interface OpenRunOptions {
  order: RunOrder
  journal: Journal
  log: RunLog
  clock: Clock
  /** Programs of this run are known by it. */
  tag: string
  /** Hides the secrets of the project; the log has its own. */
  mask?: Mask
  onProgress(): void
}

/** What the work of one step is given. */
export interface StepScope {
  readonly signal: AbortSignal
  /** Runs a program; what it writes goes into the log. */
  readonly run: Run
  /** Runs a program that is only asked something: the log gets what it says when it fails. */
  readonly ask: Run
  log(line: string): void
  /** What was done, in a phrase. */
  detail(text: string): void
  /** There was nothing to do, and why. */
  skipped(why: string): void
}

export class OpenRun {
  readonly order: RunOrder
  readonly journal: Journal
  readonly log: RunLog
  readonly steps: StepState[] = []
  readonly #options: OpenRunOptions
  readonly #cancelled = new AbortController()
  readonly #stopping = new AbortController()

  constructor(options: OpenRunOptions) {
    this.#options = options
    this.order = options.order
    this.journal = options.journal
    this.log = options.log
    setMaxListeners(0, this.#cancelled.signal, this.#stopping.signal)
    for (const entry of options.journal.entries) if (entry.entry === 'step') this.#keep(entry.step)
  }

  cancel(): void {
    this.#cancelled.abort(new RunCancelled('The run was cancelled.'))
  }

  /** The agent ends: leaves everything for its next start. */
  stop(): void {
    this.#stopping.abort(new AgentStopping('The agent is stopping.'))
  }

  get tag(): string {
    return this.#options.tag
  }

  /** Enough to tell it from others, in names that have to be short. */
  get shortId(): string {
    return this.order.id.slice(-8)
  }

  get progress(): RunProgress {
    const decided = lastOf(this.journal, 'decided')
    return {
      run_id: this.order.id,
      kind: decided?.kind ?? this.order.kind,
      ref_sha: decided?.ref_sha ?? null,
      sha: decided?.sha ?? null,
      steps: this.steps,
    }
  }

  /** Does a step within its limit. What it throws is a `RunFault`, or `RunCancelled`, or `AgentStopping`. */
  step<T>(name: StepName, limitS: number, work: (scope: StepScope) => Promise<T>): Promise<T> {
    return this.#step(name, limitS, [this.#cancelled.signal, this.#stopping.signal], work)
  }

  /** Takes something back: is not cancelled, and no step of its own. */
  async undo<T>(limitS: number, work: (scope: StepScope) => Promise<T>): Promise<T> {
    const { scope, over } = this.#scope(limitS, [this.#stopping.signal], () => undefined)
    try {
      return await work(scope)
    } catch (error) {
      throw this.#known(error, 'taking back', limitS, scope.signal)
    } finally {
      over()
    }
  }

  async #step<T>(
    name: StepName,
    limitS: number,
    ends: AbortSignal[],
    work: (scope: StepScope) => Promise<T>,
  ): Promise<T> {
    let state: StepState = {
      name,
      status: 'running',
      started_at: this.#now(),
      ended_at: null,
      exit: null,
      detail: null,
    }
    const change = (part: Partial<StepState>) => {
      state = { ...state, ...part }
    }
    this.log.enter(name)
    await this.#tell(state)
    const { scope, over } = this.#scope(limitS, ends, change)
    try {
      // Not every step starts a program, which would notice: a cancel must not come as far as the restart.
      scope.signal.throwIfAborted()
      const value = await work(scope)
      const status = state.status === 'skipped' ? 'skipped' : 'succeeded'
      await this.#tell({ ...state, status, ended_at: this.#now() })
      return value
    } catch (error) {
      const known = this.#known(error, name, limitS, scope.signal)
      if (!(known instanceof AgentStopping)) {
        this.log.write(known.message)
        await this.#tell({ ...state, status: 'failed', ended_at: this.#now(), detail: known.message })
      }
      throw known
    } finally {
      over()
    }
  }

  #scope(limitS: number, ends: AbortSignal[], change: Change) {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(new Stopped('timed_out')), limitS * 1000)
    const signal = AbortSignal.any([...ends, limit.signal])
    const scope: StepScope = {
      signal,
      run: (program: Program) => this.#run(program, signal, change, line => this.log.write(line)),
      ask: (program: Program) => this.#ask(program, signal, change),
      log: line => this.log.write(line),
      detail: text => {
        this.log.write(text)
        change({ detail: this.#mask(text) })
      },
      skipped: why => {
        this.log.write(`skipped: ${why}`)
        change({ status: 'skipped', detail: this.#mask(why) })
      },
    }
    return { scope, over: () => clearTimeout(timer) }
  }

  async #ask(program: Program, signal: AbortSignal, change: Change) {
    const finished = await this.#run(program, signal, change)
    const said = finished.code === 0 ? [] : linesOf(Buffer.from(finished.stderr))
    for (const line of said.slice(-shownLines)) this.log.write(line)
    return finished
  }

  async #run(program: Program, signal: AbortSignal, change: Change, onLine?: (line: string) => void) {
    const { tag } = this.#options
    const finished = await run(program, {
      signal,
      timeoutMs: neverMs,
      tag,
      maxCaptureBytes,
      ...(onLine && { onLine }),
    })
    // Whoever asked for the end of it knows why better than the one who ran it.
    signal.throwIfAborted()
    change({ exit: finished.code })
    return finished
  }

  /** What went wrong in words for people, without secrets. */
  #known(error: unknown, what: string, limitS: number, signal: AbortSignal): Error {
    const known = this.#reasonOf(error, what, limitS, signal)
    const message = this.#mask(known.message)
    if (!(known instanceof RunFault) || message === known.message) return known
    return new RunFault(known.code, message, { cause: known.cause })
  }

  #reasonOf(error: unknown, what: string, limitS: number, signal: AbortSignal): Error {
    const reason: unknown = signal.aborted ? signal.reason : error
    if (reason instanceof Stopped) {
      return new RunFault('step_timeout', `The step ${what} took longer than its limit of ${limitS} s.`)
    }
    if (reason instanceof RunCancelled || reason instanceof AgentStopping || reason instanceof RunFault)
      return reason
    const { code, message } = reason as NodeJS.ErrnoException
    if (code === 'ENOSPC') return new RunFault('disk_full', `The disk is full: ${message}.`, { cause: error })
    return new RunFault('internal', `The step ${what} failed unexpectedly: ${message}.`, { cause: error })
  }

  async #tell(state: StepState): Promise<void> {
    this.#keep(state)
    // Nothing depends on it, so a full disk is no reason to stop here.
    await this.journal.write({ entry: 'step', step: state }).catch(() => undefined)
    this.log.flush()
    this.#options.onProgress()
  }

  /** After a crash a step may be done again: it is shown once, as it was last. */
  #keep(state: StepState): void {
    const at = this.steps.findIndex(({ name }) => name === state.name)
    if (at < 0) this.steps.push(state)
    else this.steps[at] = state
  }

  #mask(text: string): string {
    return (this.#options.mask ?? noMask)(text)
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}
