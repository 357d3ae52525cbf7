/**
 * The outbox: what is to be sent lies on disk before it is sent, and what was sent is noted before anything else is.
 * Of one channel one message is sent at a time, in the order in which they are due; a channel that fails is left alone
 * for a while, longer each time, and never holds up another one.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { backOffMs, DueWork } from '#outbox'
import type { Store, Transaction } from '#store'
import { type ChannelRow, findChannel, type NamedChannel, unfailing, updateChannel } from './channel-row.ts'
import type { Channel, Outcome } from './channels/channel.ts'
import { compose } from './compose.ts'
import { type DeliveryRow, dueChannels, nextDelivery, nextDue, updateDelivery } from './delivery-row.ts'
import type { Notice } from './notice.ts'
import { findProblem, timeOf } from './problem-row.ts'
import type { Telling } from './problem-state.ts'
import type { Surroundings } from './settings.ts'

const atOnce = 16
/** For other processes: whoever does not renew it is gone. */
const leaseMs = 60_000
const renewMs = leaseMs / 3
/** Asked to stop, what is under way may still arrive: cut off, nobody would know whether it has. */
const graceMs = 3000
const noteAgainMs = 1000
const noteTries = 120
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
  onFailing(transaction: Transaction, channel: NamedChannel, problem: string | null): Promise<void>
}

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #timing: DeliveryTiming
  readonly #due: DueWork<ChannelRow>
  /** Channels that are sent to from here, however long that takes. */
  readonly #sending = new Set<string>()
  readonly #cutOff = new AbortController()

  constructor(options: DeliveriesOptions) {
    this.#options = options
    this.#timing = options.timing ?? usualDeliveryTiming
    this.#due = new DueWork({
      ...options,
      what: 'messages',
      atOnce,
      nextDue: transaction => nextDue(transaction, this.#sending),
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
    ended.addEventListener('abort', () => setTimeout(() => this.#cutOff.abort(), graceMs).unref())
    await this.#due.run(ended)
  }

  async #claim(transaction: Transaction, limit: number): Promise<ChannelRow[]> {
    const rows = await dueChannels(transaction, this.#at(0), limit + this.#sending.size)
    const free = rows.filter(({ id }) => !this.#sending.has(id)).slice(0, limit)
    for (const { id } of free) await updateChannel(transaction, id, { leased_until: this.#at(leaseMs) })
    return free
  }

  /** Under a lease that lasts for as long as it takes. */
  async #sendAll(claimed: ChannelRow, ended: AbortSignal): Promise<void> {
    const { store } = this.#options
    const lease = (leased_until: string | null) =>
      store.write(transaction => updateChannel(transaction, claimed.id, { leased_until }))
    const renewing = setInterval(() => void lease(this.#at(leaseMs)).catch(() => undefined), renewMs)
    this.#sending.add(claimed.id)
    try {
      await this.#sendSome(claimed, ended)
    } finally {
      clearInterval(renewing)
      this.#sending.delete(claimed.id)
    }
    await lease(null)
  }

  /** One after the other, until there is nothing left, the channel fails, or others are to have their turn. */
  async #sendSome(claimed: ChannelRow, ended: AbortSignal): Promise<void> {
    const { store } = this.#options
    for (let step = 0; step < stepsAtOnce && !ended.aborted; step++) {
      const next = await store.read(transaction => this.#next(transaction, claimed.id))
      if (!next) return
      const outcome = await this.#try(next, this.#cutOff.signal)
      if (!(await this.#noted(next, outcome, ended))) return
    }
  }

  /** What was sent is known here alone until it is on disk: a store that is away for a while makes nobody hear it twice. */
  async #noted(step: Step, outcome: Outcome, ended: AbortSignal): Promise<boolean> {
    const { store, log } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        return await store.write(transaction => this.#settle(transaction, step, outcome, ended.aborted))
      } catch (error) {
        if (ended.aborted || tries >= noteTries) throw error
        log.warn({ err: error, channel: step.channel.name }, 'what was sent could not be noted; trying again')
        await wait(noteAgainMs, undefined, { signal: ended }).catch(() => undefined)
      }
    }
  }

  async #next(transaction: Transaction, channelId: string): Promise<Step | undefined> {
    const { surroundings, adminUrl, clock } = this.#options
    const channel = await findChannel(transaction, channelId)
    const delivery = await nextDelivery(transaction, channelId, this.#at(0))
    if (!channel || !delivery) return undefined
    const problem = await findProblem(transaction, delivery.problem_id)
    if (!problem) return { channel, delivery, notice: undefined }
    const telling = delivery.telling as Telling | null
    const now = clock.now()
    const notice = await compose(transaction, problem, telling, { surroundings, adminUrl, now })
    return { channel, delivery, notice }
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
  async #settle(
    transaction: Transaction,
    { channel: tried, delivery, notice }: Step,
    outcome: Outcome,
    isStopping: boolean,
  ): Promise<boolean> {
    const channel = await findChannel(transaction, tried.id)
    // It was removed meanwhile: nothing is wrong with what is not there.
    if (!channel) return false
    if (outcome.what === 'again') {
      if (outcome.ids)
        await updateDelivery(transaction, delivery, { message_ids: JSON.stringify(outcome.ids) })
      // Asked to stop in the middle of it: as if it had not been tried. Nor does it count against other settings.
      if (isStopping || channel.updated_at !== tried.updated_at) return !isStopping
      await this.#fail(transaction, channel, outcome)
      return false
    }
    if (outcome.what === 'sent') await this.#sent(transaction, { channel, delivery, notice }, outcome.ids)
    if (outcome.what === 'gone')
      await updateDelivery(transaction, delivery, this.#afterGone(delivery, notice))
    if (outcome.what === 'never')
      await this.#giveUp(transaction, { channel, delivery, notice }, outcome.problem)
    return true
  }

  /** Until there is something else to tell. */
  async #giveUp(
    transaction: Transaction,
    { channel, delivery, notice }: Step,
    problem: string,
  ): Promise<void> {
    const { problem_id } = delivery
    const shown_version = notice?.version ?? delivery.shown_version
    this.#options.log.warn({ channel: channel.name, problem_id, problem }, 'a message was given up')
    await updateDelivery(transaction, delivery, { due_at: null, telling: null, shown_version, problem })
    await updateChannel(transaction, channel.id, { problem })
    await this.#options.onFailing(transaction, channel, problem)
  }

  async #sent(transaction: Transaction, step: Step, ids: readonly string[]): Promise<void> {
    const { channel, delivery, notice } = step
    const now = this.#at(0)
    const isShown = delivery.sent_at === null || delivery.shown_version < (notice?.version ?? 0)
    const { edits } = this.#options.open(channel).flags
    // The first message is the call; a later one is brought up to date first, and called for then.
    const isCalled = !edits || !isShown || delivery.sent_at === null
    await updateDelivery(transaction, delivery, {
      message_ids: JSON.stringify(ids),
      shown_version: notice?.version ?? delivery.shown_version,
      sent_at: delivery.sent_at ?? now,
      problem: null,
    })
    await this.#clear(transaction, step, isCalled)
    if (channel.problem !== null) await this.#options.onFailing(transaction, channel, null)
    await updateChannel(transaction, channel.id, { last_sent_at: now, ...unfailing })
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
      await this.#options.onFailing(transaction, channel, problem)
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
  readonly notice: Notice | undefined
}
