/**
 * The outbox: what is to be sent lies on disk before it is sent, and what was sent is noted before anything else is.
 * Of one channel one message is sent at a time, in the order in which they are due; a channel that fails is left alone
 * for a while, longer each time, and never holds up another one.
 */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { backOffMs, DueWork } from '#outbox'
import type { Store, Tables, Transaction } from '#store'
import { type ChannelRow, findChannel, updateChannel } from './channel-row.ts'
import type { Channel, Outcome } from './channels/channel.ts'
import { compose } from './compose.ts'
import type { Notice } from './notice.ts'
import { findProblem, type ProblemRow, timeOf } from './problem-row.ts'
import type { Telling } from './problem-state.ts'
import type { Surroundings } from './settings.ts'

const atOnce = 16
/** Longer than an answer is waited for; renewed with each message. */
const leaseMs = 60_000
const stepsAtOnce = 50

export interface DeliveryTiming {
  readonly firstMs: number
  readonly longestMs: number
  /** Where somebody has to help. */
  readonly lastingMs: number
  /** Failures in a row that are passed over in silence. */
  readonly toleratedTries: number
}

export const usualDeliveryTiming: DeliveryTiming = {
  firstMs: 1000,
  longestMs: 300_000,
  lastingMs: 60_000,
  toleratedTries: 3,
}

export type DeliveryRow = Tables['delivery']

export interface DeliveriesOptions {
  store: Store
  clock: Clock
  log: Logger
  surroundings: Surroundings
  adminUrl: string
  timing?: DeliveryTiming
  /** The channel as it is set now. */
  open(row: ChannelRow): Channel
  /** A channel has failed for too long, or works again. In the transaction that notes it. */
  onFailing(transaction: Transaction, name: string, problem: string | null): Promise<void>
}

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #timing: DeliveryTiming
  readonly #due: DueWork<ChannelRow>

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#timing = options.timing ?? usualDeliveryTiming
    this.#due = new DueWork({
      ...options,
      what: 'messages',
      atOnce,
      nextDue,
      claim: (transaction, limit) => this.#claim(transaction, limit),
      work: (channel, ended) => this.#sendAll(channel, ended),
    })
  }

  wake(): void {
    this.#due.wake()
  }

  /** Until `ended`. Where nobody else sends, whoever held a lease was our former life. */
  async run(ended: AbortSignal): Promise<void> {
    const { store, log } = this.#options
    if (!store.flags.concurrent_writers) {
      await store
        .write(transaction => transaction.updateTable('channel').set({ leased_until: null }).execute())
        .catch(error => log.warn({ err: error }, 'leases of channels end by themselves'))
    }
    await this.#due.run(ended)
  }

  async #claim(transaction: Transaction, limit: number): Promise<ChannelRow[]> {
    const now = this.#at(0)
    const rows = await transaction
      .selectFrom('channel')
      .selectAll()
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('delivery')
            .select('problem_id')
            .whereRef('delivery.channel_id', '=', 'channel.id')
            .where('delivery.due_at', '<=', now),
        ),
      )
      .where(({ or, eb }) => or([eb('paused_until', 'is', null), eb('paused_until', '<=', now)]))
      .where(({ or, eb }) => or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
      .limit(limit)
      .execute()
    for (const { id } of rows) await updateChannel(transaction, id, { leased_until: this.#at(leaseMs) })
    return rows
  }

  /** One after the other, until there is nothing left, the channel fails, or others are to have their turn. */
  async #sendAll(claimed: ChannelRow, ended: AbortSignal): Promise<void> {
    const { store } = this.#options
    for (let step = 0; step < stepsAtOnce && !ended.aborted; step++) {
      const next = await store.read(transaction => this.#next(transaction, claimed.id))
      if (!next) break
      const outcome = await this.#try(next, ended)
      // Asked to stop in the middle of it: as if it had not been tried.
      if (ended.aborted && outcome.what === 'again') break
      const goOn = await store.write(transaction => this.#settle(transaction, next, outcome))
      if (!goOn) break
    }
    await store.write(transaction => updateChannel(transaction, claimed.id, { leased_until: null }))
  }

  async #next(transaction: Transaction, channelId: string): Promise<Step | undefined> {
    const { surroundings, adminUrl, clock } = this.#options
    const channel = await findChannel(transaction, channelId)
    const delivery = await transaction
      .selectFrom('delivery')
      .selectAll()
      .where('channel_id', '=', channelId)
      .where('due_at', '<=', this.#at(0))
      .orderBy('due_at')
      .orderBy('problem_id')
      .limit(1)
      .executeTakeFirst()
    if (!channel || !delivery) return undefined
    const problem = await findProblem(transaction, delivery.problem_id)
    if (!problem) return { channel, delivery, problem, notice: undefined }
    const telling = delivery.telling as Telling | null
    const now = clock.now()
    const notice = await compose(transaction, problem, telling, { surroundings, adminUrl, now })
    return { channel, delivery, problem, notice }
  }

  /** Brings the message up to date first, and calls for attention to it then. */
  async #try({ channel: row, delivery, notice }: Step, ended: AbortSignal): Promise<Outcome> {
    if (!notice) return { what: 'never', problem: 'The problem is no longer known.' }
    const ids = JSON.parse(delivery.message_ids) as string[]
    try {
      const channel = this.#options.open(row)
      const isFirst = delivery.sent_at === null
      const isStale = delivery.shown_version < notice.version
      const { edits, every_change } = channel.flags
      if (edits && (isFirst || isStale || ids.length === 0)) return await channel.show(ids, notice, ended)
      if (edits)
        return delivery.telling === null ? { what: 'sent', ids } : await channel.reply(ids, notice, ended)
      const isWanted = isFirst || delivery.telling !== null || (isStale && every_change)
      return isWanted ? await channel.show(ids, notice, ended) : { what: 'sent', ids }
    } catch (error) {
      // Such as a lost key: somebody may put it back.
      return { what: 'again', problem: (error as Error).message, afterMs: 0, lasting: true }
    }
  }

  /** False: the channel is left alone for a while. */
  async #settle(transaction: Transaction, step: Step, outcome: Outcome): Promise<boolean> {
    const { channel, delivery, notice } = step
    if (outcome.what === 'again') {
      if (outcome.ids) await update(transaction, delivery, { message_ids: JSON.stringify(outcome.ids) })
      await this.#fail(transaction, channel, outcome)
      return false
    }
    if (outcome.what === 'sent') await this.#sent(transaction, step, outcome.ids)
    if (outcome.what === 'gone') await update(transaction, delivery, this.#afterGone(delivery, notice))
    if (outcome.what === 'never') {
      const { problem } = outcome
      this.#options.log.warn(
        { channel: channel.name, problem_id: delivery.problem_id, problem },
        'a message was given up',
      )
      await update(transaction, delivery, { due_at: null, telling: null, problem })
      await updateChannel(transaction, channel.id, { problem })
      await this.#options.onFailing(transaction, channel.name, problem)
    }
    await updateChannel(transaction, channel.id, { leased_until: this.#at(leaseMs) })
    return true
  }

  async #sent(transaction: Transaction, step: Step, ids: readonly string[]): Promise<void> {
    const { channel, delivery, notice } = step
    const now = this.#at(0)
    const isShown = delivery.sent_at === null || delivery.shown_version < (notice?.version ?? 0)
    const { edits } = this.#options.open(channel).flags
    // The first message is the call; a later one is brought up to date first, and called for then.
    const isCalled = !edits || !isShown || delivery.sent_at === null
    await update(transaction, delivery, {
      message_ids: JSON.stringify(ids),
      shown_version: notice?.version ?? delivery.shown_version,
      sent_at: delivery.sent_at ?? now,
      problem: null,
    })
    await this.#clear(transaction, step, isCalled)
    if (channel.problem !== null) await this.#options.onFailing(transaction, channel.name, null)
    const well = { problem: null, failing_since: null, tries: 0, paused_until: null }
    await updateChannel(transaction, channel.id, { last_sent_at: now, ...well })
  }

  /** What came meanwhile stays due: it was not what was sent. */
  async #clear(transaction: Transaction, { delivery, notice }: Step, isCalled: boolean): Promise<void> {
    const telling = isCalled ? null : delivery.telling
    const problem = await findProblem(transaction, delivery.problem_id)
    const isStale = (problem?.version ?? 0) > (notice?.version ?? 0)
    await transaction
      .updateTable('delivery')
      .set({ telling, due_at: telling === null && !isStale ? null : delivery.due_at })
      .where('problem_id', '=', delivery.problem_id)
      .where('channel_id', '=', delivery.channel_id)
      .where('due_at', '=', delivery.due_at!)
      .where('telling', delivery.telling === null ? 'is' : '=', delivery.telling)
      .execute()
  }

  async #fail(
    transaction: Transaction,
    channel: ChannelRow,
    { problem, afterMs, lasting = false }: Extract<Outcome, { what: 'again' }>,
  ): Promise<void> {
    const { firstMs, longestMs, lastingMs, toleratedTries } = this.#timing
    // What needs help is told of at once: it does not mend itself.
    const tries = lasting ? Math.max(channel.tries + 1, toleratedTries) : channel.tries + 1
    const pauseMs = Math.max(backOffMs(channel.tries, firstMs, longestMs), afterMs, lasting ? lastingMs : 0)
    await updateChannel(transaction, channel.id, {
      problem,
      tries,
      failing_since: channel.failing_since ?? this.#at(0),
      paused_until: this.#at(pauseMs),
    })
    if (tries >= toleratedTries) {
      this.#options.log.warn({ channel: channel.name, tries, problem }, 'a channel fails')
      await this.#options.onFailing(transaction, channel.name, problem)
    }
  }

  /** Where somebody is to be called, by a new message; else there is nothing to be done. */
  #afterGone({ telling, due_at }: DeliveryRow, notice: Notice | undefined): Partial<DeliveryRow> {
    if (telling !== null) return { message_ids: '[]', sent_at: null, due_at }
    return { shown_version: notice?.version ?? 0, due_at: null }
  }

  #at = (inMs: number) => timeOf(this.#options.clock.now().getTime() + inMs)
}

interface Step {
  readonly channel: ChannelRow
  readonly delivery: DeliveryRow
  readonly problem: ProblemRow | undefined
  readonly notice: Notice | undefined
}

/** The earliest message of a channel that may be used, or the time from which it may. */
async function nextDue(transaction: Transaction): Promise<string | null> {
  const rows = await transaction
    .selectFrom('delivery')
    .innerJoin('channel', 'channel.id', 'delivery.channel_id')
    .select(({ fn }) => [
      fn.min('delivery.due_at').as('due_at'),
      'channel.paused_until',
      'channel.leased_until',
    ])
    .where('delivery.due_at', 'is not', null)
    .groupBy(['channel.id', 'channel.paused_until', 'channel.leased_until'])
    .execute()
  const times = rows.map(
    ({ due_at, paused_until, leased_until }) =>
      [due_at!, paused_until ?? '', leased_until ?? ''].toSorted().at(-1)!,
  )
  return times.toSorted()[0] ?? null
}

async function update(
  transaction: Transaction,
  { problem_id, channel_id }: DeliveryRow,
  change: Partial<DeliveryRow>,
): Promise<void> {
  await transaction
    .updateTable('delivery')
    .set(change)
    .where('problem_id', '=', problem_id)
    .where('channel_id', '=', channel_id)
    .execute()
}

/** What is over and was sent, and what could not be sent for so long that nobody wants to read it. */
export async function pruneDeliveries(transaction: Transaction, before: Date): Promise<void> {
  await transaction
    .deleteFrom('delivery')
    .where('problem_id', 'in', inner =>
      inner.selectFrom('problem').select('id').where('ended_at', '<', before.toISOString()),
    )
    .execute()
}
