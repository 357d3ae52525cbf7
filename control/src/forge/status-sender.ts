/** Sends what is due, several at a time but of one commit never two at once; a forge that is away never holds up a run. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Deploys } from '#deploy'
import { Signal } from '#events'
import type { Store, Transaction } from '#store'
import type { Forges } from './forges.ts'
import type { StatusRow } from './status-outbox.ts'
import { sendStatus, type Verdict } from './status-request.ts'

const atOnce = 8
const lookedAt = 100
/** Longer than an answer is waited for. After it, whoever was sending is taken to be gone. */
const leaseMs = 30_000
const failedMs = 1000
/** How often to look on its own, where other processes write too. */
const lookMs = 5000
const idleMs = 600_000

export interface SenderTiming {
  /** Before the second try; each further pause is twice as long. */
  firstMs: number
  longestMs: number
  tries: number
}

/** About an hour in all. */
const usualTiming: SenderTiming = { firstMs: 2000, longestMs: 900_000, tries: 12 }

export interface SenderOptions {
  store: Store
  clock: Clock
  log: Logger
  forges: Forges
  deploys: Deploys
  timing?: SenderTiming
}

export class StatusSender {
  readonly #options: SenderOptions
  readonly #timing: SenderTiming
  readonly #signal = new Signal()

  constructor(options: SenderOptions) {
    this.#options = options
    this.#timing = options.timing ?? usualTiming
  }

  /** Something may be due. */
  wake(): void {
    this.#signal.raise()
  }

  /** Until `ended`. */
  async run(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      try {
        await this.#sendDue(ended)
      } catch (error) {
        this.#options.log.error({ err: error }, 'commit statuses could not be looked at; trying again')
        await wait(failedMs, undefined, { signal: ended }).catch(() => undefined)
      }
    }
  }

  async #sendDue(ended: AbortSignal): Promise<void> {
    const rest = new AbortController()
    const woken = this.#signal.wait(AbortSignal.any([ended, rest.signal]))
    const timer = setTimeout(() => rest.abort(), await this.#untilDueMs())
    await woken
    clearTimeout(timer)
    if (ended.aborted) return
    const claimed = await this.#options.store.write(transaction => this.#claim(transaction))
    await Promise.all(claimed.map(row => this.#send(row, ended)))
  }

  async #untilDueMs(): Promise<number> {
    const { store, clock } = this.#options
    const rows = await store.read(transaction =>
      transaction
        .selectFrom('commit_status')
        .select(['due_at', 'leased_until'])
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(lookedAt)
        .execute(),
    )
    const most = store.flags.concurrent_writers ? lookMs : idleMs
    const fromMs = (at: string | null) => (at === null ? 0 : Date.parse(at) - clock.now().getTime())
    const dueMs = rows.map(({ due_at, leased_until }) => Math.max(fromMs(due_at), fromMs(leased_until), 0))
    return Math.min(...dueMs, most)
  }

  /** There is one writer at a time: nobody else claims the same. */
  async #claim(transaction: Transaction): Promise<StatusRow[]> {
    const now = this.#at(0)
    const rows = await transaction
      .selectFrom('commit_status')
      .selectAll()
      .where('due_at', '<=', now)
      .where(({ or, eb }) => or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
      .orderBy('due_at')
      .limit(atOnce)
      .execute()
    for (const row of rows) await update(transaction, row, { leased_until: this.#at(leaseMs) })
    return rows
  }

  async #send(row: StatusRow, ended: AbortSignal): Promise<void> {
    const verdict = await this.#try(row, ended)
    // Asked to stop in the middle of it: as if it had not been tried.
    const settled = ended.aborted && verdict?.what === 'again' ? undefined : verdict
    await this.#options.store.write(transaction => this.#settle(transaction, row, settled))
  }

  async #try(row: StatusRow, ended: AbortSignal): Promise<Verdict> {
    const { store, forges, deploys } = this.#options
    try {
      const access = await store.read(transaction => forges.statusAccess(transaction, row.project))
      if (!access) return { what: 'never', problem: 'Statuses are no longer written for the project.' }
      return await sendStatus(access, { ...row, url: deploys.pageUrl(row.run_id) }, ended)
    } catch (error) {
      // Such as a lost key: somebody may put it back.
      return { what: 'again', problem: (error as Error).message, afterMs: 0 }
    }
  }

  /** What came meanwhile stays due: it was not what was sent. */
  async #settle(transaction: Transaction, row: StatusRow, verdict: Verdict | undefined): Promise<void> {
    const { forges, log } = this.#options
    const { project, sha } = row
    await update(transaction, row, { leased_until: null })
    if (!verdict) return
    const problem = verdict.what === 'sent' ? null : verdict.problem
    await forges.statusSent(transaction, project, problem)
    const tries = row.tries + 1
    if (verdict.what === 'again' && tries < this.#timing.tries) {
      const pauseMs = Math.min(this.#timing.firstMs * 2 ** row.tries, this.#timing.longestMs)
      return update(transaction, row, { tries, due_at: this.#at(Math.max(pauseMs, verdict.afterMs)) })
    }
    if (problem !== null) log.warn({ project, sha, tries, problem }, 'a commit status was given up')
    await updateSame(transaction, row, { tries: 0, due_at: null })
  }

  #at = (inMs: number) => new Date(this.#options.clock.now().getTime() + inMs).toISOString()
}

type Change = Partial<Pick<StatusRow, 'due_at' | 'leased_until' | 'tries'>>

async function update(transaction: Transaction, { project, sha }: StatusRow, change: Change): Promise<void> {
  await transaction
    .updateTable('commit_status')
    .set(change)
    .where('project', '=', project)
    .where('sha', '=', sha)
    .execute()
}

/** Unless it was changed since. */
async function updateSame(transaction: Transaction, row: StatusRow, change: Change): Promise<void> {
  await transaction
    .updateTable('commit_status')
    .set(change)
    .where('project', '=', row.project)
    .where('sha', '=', row.sha)
    .where('version', '=', row.version)
    .execute()
}
