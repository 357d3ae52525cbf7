/** The story of a run in control: accepted → queued → given to a machine → ended. */
import { type Confidential, Fault, type FromAgent, type Run, type RunOrder } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Events } from '#events'
import type { Fleet } from '#fleet'
import { bySystem, type Origin } from '#http'
import type { PrivateRepositories } from '#private-repositories'
import type { Projects } from '#projects'
import { isUnreadable } from '#secrets'
import type { Store, Transaction } from '#store'
import type { Variables } from '#variables'
import { type Accepted, accept, type KeyedCall, sameKey, type Wanted } from './accept.ts'
import { knownUpTo, orderOf } from './order.ts'
import { nextRuns } from './queue.ts'
import { recordEnd, recordLog, recordProgress, recordUnreadable } from './record.ts'
import { findRun, isOver, pageUrl, type RunRow, runOf } from './run-row.ts'
import { RunSignals } from './run-signals.ts'
import { confidentialOf, keepRolledBack, settleVariables } from './run-variables.ts'

/** Also in other control processes. */
const lettingGo = ['run.accepted', 'run.ended', 'project.resumed', 'project.changed'] as const

/** After the store has failed, what the agents tell is asked for again. */
const retryMs = 1000

export interface DeploysOptions {
  store: Store
  events: Events
  clock: Clock
  log: Logger
  fleet: Fleet
  projects: Projects
  variables: Variables
  repositories: PrivateRepositories
  adminUrl: string
  /** On one machine at a time. */
  perMachine: number
}

/** Given to a machine. */
interface Begun {
  machine: string
  order: RunOrder
  confidential: Confidential
}

export class Deploys {
  readonly signals: RunSignals
  readonly #options: DeploysOptions
  #dispatching: Promise<void> | undefined
  #dispatchAgain = false
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: DeploysOptions) {
    this.#options = options
    this.signals = new RunSignals(options.store)
    options.fleet.onMessage((machine, message) => this.#hear(machine, message))
  }

  /** The run that the same key and request started within the last 24 hours. */
  known(transaction: Transaction, call: KeyedCall): Promise<RunRow | undefined> {
    return sameKey(transaction, call, this.#options.clock.now())
  }

  /** Stores the run. Call `accepted` with what it gives when the transaction is committed. */
  accept(transaction: Transaction, origin: Origin, wanted: Wanted): Promise<Accepted> {
    return accept(transaction, this.#options, origin, wanted)
  }

  /** The run is on disk, and those that gave way have ended. */
  accepted({ superseded }: Accepted): void {
    for (const id of superseded) this.signals.raise(id)
  }

  show(row: RunRow): Run {
    return runOf(row, this.#options.adminUrl)
  }

  /** Where a run is read. */
  apiUrl({ id }: RunRow): string {
    return `${this.#options.adminUrl}/api/runs/${id}`
  }

  /** The run's page, for people. */
  pageUrl(id: string): string {
    return pageUrl(id, this.#options.adminUrl)
  }

  /** Ends a run that waits; asks the machine to end one that runs. */
  async cancel(id: string, origin: Origin): Promise<RunRow> {
    const { store, events, clock, fleet } = this.#options
    const row = await store.write(async transaction => {
      const found = await findRun(transaction, id)
      if (!found) throw new Fault('not_found', `There is no run ${id}.`)
      if (isOver(found)) throw new Fault('run_over', `The run has ended: ${found.status}.`)
      const change =
        found.status === 'queued'
          ? { status: 'cancelled', ended_at: clock.now().toISOString() }
          : { cancel_asked: 1 }
      await transaction.updateTable('run').set(change).where('id', '=', id).execute()
      const { project, kind } = found
      const subject = `run/${id}`
      const data = { project, was: found.status }
      await events.append(transaction, origin, { type: 'run.cancelled', subject, data })
      if (found.status === 'queued') {
        const data = { project, kind, status: 'cancelled' }
        await events.append(transaction, origin, { type: 'run.ended', subject, data })
      }
      return { ...found, ...change }
    })
    if (row.machine !== null) fleet.send(row.machine, { type: 'cancel', run_id: id })
    this.signals.raise(id)
    return row
  }

  /** Gives waiting runs to machines, as long as there are any that can begin. */
  dispatch(): void {
    this.#dispatchAgain = true
    this.#dispatching ??= this.#dispatchAll()
  }

  /** Looks for runs that can begin whenever something happens that may let one. */
  start(ended: AbortSignal): void {
    const stopWatching = this.#options.events.watch(lettingGo, () => this.dispatch())
    ended.addEventListener('abort', stopWatching)
    this.dispatch()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    await this.#dispatching
  }

  async #dispatchAll(): Promise<void> {
    while (this.#dispatchAgain && !this.#stopped) {
      this.#dispatchAgain = false
      try {
        const { begun, failed } = await this.#options.store.write(transaction => this.#begin(transaction))
        for (const { machine, order, confidential } of begun) {
          this.signals.raise(order.id)
          this.#options.fleet.send(machine, { type: 'run', order, confidential, log_after: 0 })
        }
        for (const id of failed) this.signals.raise(id)
      } catch (error) {
        this.#options.log.error({ err: error }, 'runs could not be dispatched; trying again')
        this.#later()
      }
    }
    // In the same turn as the last look, so that whoever asks after it is not overheard.
    this.#dispatching = undefined
  }

  /** One that cannot be given its secrets fails by itself; the others go on. */
  async #begin(transaction: Transaction): Promise<{ begun: Begun[]; failed: string[] }> {
    const { events, fleet, projects, variables, repositories, perMachine, clock } = this.#options
    const next = await nextRuns(transaction, {
      perMachine,
      project: (inner, name) => projects.find(inner, name),
      machines: project => fleet.placement(project).filter(({ name }) => fleet.isConnected(name)),
    })
    const begun: Begun[] = []
    const failed: string[] = []
    for (const { row, project, machine } of next) {
      const started_at = clock.now().toISOString()
      try {
        const { settled, confidential } = await settleVariables(transaction, variables, row)
        const git = await repositories.accessFor(transaction, project)
        await transaction
          .updateTable('run')
          .set({ status: 'running', machine, started_at, ...settled })
          .where('id', '=', row.id)
          .execute()
        const data = { project: row.project, kind: row.kind, machine }
        await events.append(transaction, bySystem, { type: 'run.started', subject: `run/${row.id}`, data })
        const order = await orderOf(transaction, { ...row, ...settled }, project)
        begun.push({ machine, order, confidential: { ...confidential, git } })
      } catch (error) {
        if (!isUnreadable(error)) throw error
        await recordUnreadable(transaction, events, row, error.message, started_at)
        failed.push(row.id)
      }
    }
    return { begun, failed }
  }

  #hear(machine: string, message: Parameters<Parameters<Fleet['onMessage']>[0]>[1]): void {
    this.#handle(machine, message).catch(error => {
      this.#options.log.error({ err: error, machine }, 'what an agent told could not be stored; asking again')
      this.#later()
    })
  }

  async #handle(machine: string, message: FromAgent): Promise<void> {
    const { store, events, fleet, clock, variables } = this.#options
    if (message.type === 'hello') await this.#resume(machine)
    if (message.type === 'run_progress') {
      await store.write(transaction => recordProgress(transaction, machine, message.progress))
      this.signals.raise(message.progress.run_id)
    }
    if (message.type === 'run_log') {
      await store.write(transaction => recordLog(transaction, machine, message.run_id, message.lines))
      this.signals.raise(message.run_id)
    }
    if (message.type === 'run_ended') {
      const { run_id } = message.progress
      const now = clock.now().toISOString()
      await store.write(async transaction => {
        const ended = await recordEnd(transaction, events, machine, message, now)
        if (ended?.status === 'succeeded' && ended.kind === 'rollback')
          await keepRolledBack(transaction, variables, ended)
      })
      fleet.send(machine, { type: 'recorded', run_id })
      this.signals.raise(run_id)
    }
  }

  /** The machine is there, again or for the first time: it hears of its runs, and tells all that is not known of them. */
  async #resume(machine: string): Promise<void> {
    const { store, fleet, projects, variables, repositories } = this.#options
    const open = await store.read(async transaction => {
      const rows = await transaction
        .selectFrom('run')
        .selectAll()
        .where('status', '=', 'running')
        .where('ended_at', 'is', null)
        .where('machine', '=', machine)
        .orderBy('position')
        .execute()
      const known = []
      for (const row of rows) {
        const project = await projects.find(transaction, row.project)
        if (!project) continue
        const order = await orderOf(transaction, row, project)
        const confidential = {
          ...(await confidentialOf(transaction, variables, row)),
          ...(await repositories.accessIfReadable(transaction, project)),
        }
        known.push({ row, order, confidential, log_after: await knownUpTo(transaction, row.id) })
      }
      return known
    })
    for (const { row, order, confidential, log_after } of open) {
      fleet.send(machine, { type: 'run', order, confidential, log_after })
      if (row.cancel_asked) fleet.send(machine, { type: 'cancel', run_id: row.id })
    }
    this.dispatch()
  }

  #later(): void {
    if (this.#stopped) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => {
      for (const { name } of this.#options.fleet.machines) {
        if (this.#options.fleet.isConnected(name)) this.#hear(name, { type: 'hello', machine: name, sha: '' })
      }
    }, retryMs)
  }
}
