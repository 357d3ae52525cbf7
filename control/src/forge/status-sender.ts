/** Sends what is due, several at a time but of one commit never two at once; a forge that is away never holds up a run. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Deploys } from '#deploy'
import { backOffMs, DueWork } from '#outbox'
import type { Store, Transaction } from '#store'
import type { Forges } from './forges.ts'
import type { StatusRow } from './status-outbox.ts'
import { sendStatus, type Verdict } from './status-request.ts'

const atOnce = 8
const lookedAt = 100
/** Longer than an answer is waited for. After it, whoever was sending is taken to be gone. */
const leaseMs = 30_000

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
  readonly #due: DueWork<StatusRow>

  constructor(options: SenderOptions) {
    this.#options = options
    this.#timing = options.timing ?? usualTiming
    this.#due = new DueWork({
      ...options,
      what: 'commit statuses',
      atOnce,
      nextDue,
      claim: (transaction, limit) => this.#claim(transaction, limit),
      work: (row, ended) => this.#send(row, ended),
    })
  }

  /** Something may be due. */
  wake(): void {
    this.#due.wake()
  }

  /** Until `ended`. */
  run(ended: AbortSignal): Promise<void> {
    return this.#due.run(ended)
  }

  async #claim(transaction: Transaction, limit: number): Promise<StatusRow[]> {
    const now = this.#at(0)
    const rows = await transaction
      .selectFrom('commit_status')
      .selectAll()
      .where('due_at', '<=', now)
      .where(({ or, eb }) => or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
      .orderBy('due_at')
      .limit(limit)
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
      const pauseMs = backOffMs(row.tries, this.#timing.firstMs, this.#timing.longestMs)
      return update(transaction, row, { tries, due_at: this.#at(Math.max(pauseMs, verdict.afterMs)) })
    }
    if (problem !== null) log.warn({ project, sha, tries, problem }, 'a commit status was given up')
    await updateSame(transaction, row, { tries: 0, due_at: null })
  }

  #at = (inMs: number) => new Date(this.#options.clock.now().getTime() + inMs).toISOString()
}

async function nextDue(transaction: Transaction): Promise<string | null> {
  const rows = await transaction
    .selectFrom('commit_status')
    .select(['due_at', 'leased_until'])
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(lookedAt)
    .execute()
  const times = rows.map(({ due_at, leased_until }) =>
    leased_until !== null && leased_until > due_at! ? leased_until : due_at!,
  )
  return times.toSorted()[0] ?? null
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
