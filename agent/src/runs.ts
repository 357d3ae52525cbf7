/**
 * The runs that this agent knows: each in a directory with its journal and log. A new one is written down before it is
 * begun; after a start the open ones go on, or are undone.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Confidential,
  type FromAgent,
  noVariables,
  type RunOrder,
  type RunOutcome,
} from '@quarterdeck/contract'
import { type Journal, lastOf, openJournal, readJournal } from './journal.ts'
import { openMark } from './layout.ts'
import type { Machine } from './machine.ts'
import { AgentStopping, OpenRun } from './open-run.ts'
import { endGroup, findTagged } from './processes.ts'
import { tidy } from './pruning.ts'
import { release } from './release.ts'
import { RunLog } from './run-log.ts'
import { Site } from './site.ts'

/** Runs that control has recorded are kept for a while, so that none is ever done twice. */
const keptRuns = 200
const attempts = 5
/** Longer each time. */
const pauseMs = 500
const mostPauseMs = 30_000
const strayGraceMs = 3000

export interface RunsOptions {
  machine: Machine
  /** Programs that this agent started are known by it. */
  homeId: string
  openJournal?: typeof openJournal
  tell(message: FromAgent): void
  /** Hears of each run that ends here, once. */
  onEnd(outcome: RunOutcome): void
}

export class Runs {
  readonly #options: RunsOptions
  readonly #directory: string
  readonly #marks: string
  readonly #open = new Map<string, OpenRun>()
  /** One run of a project at a time, in the order in which they came. */
  readonly #turns = new Map<string, Promise<void>>()
  #taking: Promise<void> = Promise.resolve()
  readonly #stopping = new AbortController()

  constructor(options: RunsOptions) {
    this.#options = options
    this.#directory = join(options.machine.agentHome, 'runs')
    this.#marks = join(options.machine.agentHome, 'open')
  }

  /** Takes up what an earlier life of the agent left. */
  async recover(): Promise<void> {
    rmSync(this.#marks, { recursive: true, force: true })
    const strays = findTagged(`${this.#options.homeId}:run:`)
    await Promise.all(strays.map(({ pgid }) => endGroup(pgid, { graceMs: strayGraceMs })))
    for (const id of this.#known()) {
      const entries = readJournal(this.#journalOf(id))
      const accepted = entries.find(entry => entry.entry === 'accepted')
      const isOver = entries.some(entry => entry.entry === 'ended')
      if (accepted && !isOver) await this.#begin(accepted.order)
    }
  }

  /** A run that is known already is told again, in full; it is never done twice. */
  take(order: RunOrder, { variables, git }: Confidential, logAfter: number): Promise<void> {
    const { name, adopted } = order.project
    const site = new Site(this.#options.machine, name, adopted)
    // One after the other, so that an order which comes twice at once is begun once.
    this.#taking = this.#taking
      .catch(() => undefined)
      .then(() => {
        for (const set of variables) site.variables.keep(set)
        if (git !== undefined) site.access.keep(git)
        return this.#take(order, logAfter)
      })
    return this.#taking
  }

  async #take(order: RunOrder, logAfter: number): Promise<void> {
    const open = this.#open.get(order.id)
    if (open) return this.#tellAll(open, logAfter)
    if (lastOf({ entries: readJournal(this.#journalOf(order.id)) }, 'ended')) {
      const ended = await this.#openRun(order)
      this.#tellAll(ended, logAfter)
      return ended.journal.close()
    }
    await this.#begin(order)
  }

  /** In turn with the orders: one that comes right behind its order finds it. */
  cancel(id: string): void {
    this.#taking = this.#taking.catch(() => undefined).then(() => this.#open.get(id)?.cancel())
  }

  /** Control has the end of it on disk. */
  async recorded(id: string): Promise<void> {
    const journal = await this.#openJournal(this.#journalOf(id))
    if (!lastOf(journal, 'recorded')) await journal.write({ entry: 'recorded' })
    await journal.close()
    this.#forgetOld()
  }

  /** Whether a run of the project is under way, or was ordered just now. */
  async isBusy(project: string): Promise<boolean> {
    await this.#taking.catch(() => undefined)
    return [...this.#open.values()].some(({ order }) => order.project.name === project)
  }

  /** Leaves everything as it is for the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#taking.catch(() => undefined)
    for (const run of this.#open.values()) run.stop()
    await Promise.all(this.#turns.values())
  }

  async #begin(order: RunOrder): Promise<void> {
    const run = await this.#openRun(order)
    try {
      if (!lastOf(run.journal, 'accepted')) await run.journal.write({ entry: 'accepted', order })
    } catch (error) {
      await run.journal.close()
      throw error
    }
    this.#open.set(order.id, run)
    this.#mark(order.project.name)
    const { name } = order.project
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() => this.#do(run))
    this.#turns.set(name, turn)
    turn.finally(() => this.#turns.get(name) === turn && this.#turns.delete(name))
  }

  async #do(run: OpenRun): Promise<void> {
    const { machine, tell, onEnd } = this.#options
    const { project } = run.order
    const site = new Site(machine, project.name, project.adopted)
    try {
      const outcome = await this.#outcome(run, site)
      this.#open.delete(run.order.id)
      this.#unmark(run.order.project.name)
      tell({ type: 'run_ended', progress: run.progress, outcome })
      onEnd(outcome)
      await tidy(machine, site, run.order.project, run.tag)
      this.#forgetVariables(site)
    } catch (error) {
      if (!(error instanceof AgentStopping)) {
        machine.log.error({ err: error, run: run.order.id }, 'a run could not be brought to its end')
      }
    } finally {
      this.#open.delete(run.order.id)
      await run.journal.close().catch(() => undefined)
    }
  }

  /** What fails unexpectedly, such as a journal on a full disk, is taken up again as after a crash. */
  async #outcome(run: OpenRun, site: Site): Promise<RunOutcome> {
    const { machine } = this.#options
    for (let attempt = 1; ; attempt++) {
      if (this.#stopping.signal.aborted) throw new AgentStopping('The agent is stopping.')
      try {
        return await this.#end(run, await release({ machine, site, run }))
      } catch (error) {
        if (error instanceof AgentStopping) throw error
        machine.log.error({ err: error, run: run.order.id }, 'a run failed unexpectedly')
        // There will be room again; until then nothing can be said to be over.
        if (attempt >= attempts && !isFull(error)) return await this.#end(run, unexpected(error))
        const { signal } = this.#stopping
        await wait(Math.min(attempt * pauseMs, mostPauseMs), undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** Those that nothing runs with and no run will need. */
  #forgetVariables(site: Site): void {
    const needed = [...this.#open.values()].flatMap(({ order: { variables } }) => Object.values(variables))
    site.variables.forgetAllBut([...needed, site.state.proven?.variables ?? noVariables])
  }

  /** Tells `align.mjs` that a run of the project is open, and decides what is in place. */
  #mark(project: string): void {
    mkdirSync(this.#marks, { recursive: true, mode: 0o700 })
    writeFileSync(this.#markOf(project), '')
  }

  #unmark(project: string): void {
    const isOpen = [...this.#open.values()].some(({ order }) => order.project.name === project)
    if (!isOpen) rmSync(this.#markOf(project), { force: true })
  }

  #markOf(project: string): string {
    return openMark(this.#options.machine.agentHome, project)
  }

  async #end(run: OpenRun, outcome: RunOutcome): Promise<RunOutcome> {
    run.log.close()
    await run.journal.write({ entry: 'ended', outcome })
    return outcome
  }

  async #openRun(order: RunOrder): Promise<OpenRun> {
    const { machine, homeId, tell } = this.#options
    const journal = await this.#openJournal(this.#journalOf(order.id))
    const mask = new Site(machine, order.project.name).mask()
    const log = new RunLog({
      file: join(this.#directory, order.id, 'log'),
      clock: machine.clock,
      mask,
      onLines: lines => tell({ type: 'run_log', run_id: order.id, lines }),
    })
    const run: OpenRun = new OpenRun({
      order,
      journal,
      log,
      clock: machine.clock,
      tag: `${homeId}:run:${order.id}`,
      mask,
      onProgress: () => tell({ type: 'run_progress', progress: run.progress }),
    })
    return run
  }

  #tellAll(run: OpenRun, logAfter: number): void {
    const { tell } = this.#options
    const lines = run.log.after(logAfter)
    if (lines.length > 0) tell({ type: 'run_log', run_id: run.order.id, lines })
    const ended = lastOf(run.journal, 'ended')
    tell(
      ended
        ? { type: 'run_ended', progress: run.progress, outcome: ended.outcome }
        : { type: 'run_progress', progress: run.progress },
    )
  }

  #openJournal(file: string): Promise<Journal> {
    return (this.#options.openJournal ?? openJournal)(file)
  }

  /** Oldest first: ids tell the time. */
  #known(): string[] {
    try {
      return readdirSync(this.#directory).sort()
    } catch {
      return []
    }
  }

  #forgetOld(): void {
    const over = this.#known().filter(id => !this.#open.has(id))
    for (const id of over.slice(0, Math.max(0, over.length - keptRuns))) {
      const isRecorded = readJournal(this.#journalOf(id)).some(({ entry }) => entry === 'recorded')
      if (isRecorded) rmSync(join(this.#directory, id), { recursive: true, force: true })
    }
  }

  #journalOf(id: string): string {
    return join(this.#directory, id, 'journal')
  }
}

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

const unexpected = (error: unknown): RunOutcome => ({
  status: 'failed',
  error: { code: 'internal', message: `Something failed unexpectedly: ${(error as Error).message}.` },
  restored_sha: null,
})
