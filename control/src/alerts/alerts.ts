/**
 * The story of an alert: reported → put together with what belongs to it → looked at when it is due → written down for
 * each channel that is to hear of it → sent. Whoever reports, this is the door.
 */
import type { Alert } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { type Events, runReader } from '#events'
import { bySystem, type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { SecretBox } from '#secrets'
import type { Store, Transaction } from '#store'
import { type Acknowledging, acknowledgeAlert, acknowledgeProblem, endAlert } from './acknowledging.ts'
import { type AlertRow, findAlert, shownAlert } from './alert-row.ts'
import { channelAlert, channelSource } from './channel-alert.ts'
import { ChannelRegistry } from './channel-registry.ts'
import { type ChannelRow, type NamedChannel, unfailing, updateChannel } from './channel-row.ts'
import type { Channel } from './channels/channel.ts'
import { openChannel } from './channels/index.ts'
import { Deliveries, type DeliveryTiming } from './deliveries.ts'
import { Heartbeats } from './heartbeats.ts'
import { Keeper } from './keeper.ts'
import type { Labels } from './labels.ts'
import { giveNotice } from './notices.ts'
import { Problems } from './problems.ts'
import { keepPulse } from './pulse.ts'
import { beginNow, runAlertReader } from './run-alerts.ts'
import type { AlertSettings, Surroundings } from './settings.ts'
import { activeSilences, Silences, silencing } from './silences.ts'
import { type Reported, type Source, type Taken, take } from './take.ts'

export interface AlertsOptions {
  store: Store
  events: Events
  clock: Clock
  log: Logger
  secrets: SecretBox
  settings: AlertSettings
  surroundings: Surroundings
  adminUrl: string
  /** The page of a run. */
  runUrl(id: string): string
  /** Called for as long as alerts are kept. */
  pulse?: { url: string; everyMs: number } | null
  deliveryTiming?: DeliveryTiming
}

export class Alerts {
  readonly channels: ChannelRegistry
  readonly silences: Silences
  readonly heartbeats: Heartbeats
  readonly #options: AlertsOptions
  readonly #problems: Problems
  readonly #keeper: Keeper
  readonly #deliveries: Deliveries
  readonly #opened = new Map<string, { updatedAt: string; channel: Channel }>()
  #isChanged = false

  constructor(options: AlertsOptions) {
    const { store, events, clock, settings } = options
    this.#options = options
    this.channels = new ChannelRegistry(options)
    this.silences = new Silences(events, clock)
    const taking = this.take.bind(this)
    this.heartbeats = new Heartbeats({ events, clock, take: taking })
    this.#problems = new Problems(settings, events)
    this.#deliveries = new Deliveries({
      ...options,
      ...(options.deliveryTiming && { timing: options.deliveryTiming }),
      open: row => this.open(row),
      onFailing: (transaction, channel, problem) => this.#channelFails(transaction, channel, problem),
    })
    this.#keeper = new Keeper({
      ...options,
      problems: this.#problems,
      heartbeats: this.heartbeats,
      onLooked: () => this.#deliveries.wake(),
    })
    store.onCommit(() => {
      if (this.#isChanged) this.wake()
      this.#isChanged = false
    })
  }

  /** Takes what is reported, in the transaction of whoever reports it. What is to be told is told when that is committed. */
  async take(transaction: Transaction, source: Source, alerts: readonly Reported[]): Promise<Taken> {
    const taken = await take(transaction, this.#problems, source, alerts, this.#options.clock.now())
    if (taken.started + taken.ended > 0) this.#isChanged = true
    return taken
  }

  /** The source for what comes over HTTP, by name: what it reports counts for a while. */
  source(name: string): Source {
    return { name, leaseMs: this.#options.settings.leaseMs }
  }

  async acknowledge(transaction: Transaction, origin: Origin, id: string, comment?: string): Promise<Alert> {
    this.#isChanged = true
    return this.#show(
      transaction,
      await acknowledgeAlert(transaction, origin, id, comment, this.#acknowledging()),
    )
  }

  /** Everything of it that is open; how many alerts that were. */
  acknowledgeProblem(transaction: Transaction, origin: Origin, problemId: string): Promise<number> {
    this.#isChanged = true
    return acknowledgeProblem(transaction, origin, problemId, this.#acknowledging())
  }

  async end(transaction: Transaction, origin: Origin, id: string): Promise<Alert> {
    this.#isChanged = true
    return this.#show(transaction, await endAlert(transaction, origin, id, this.#acknowledging()))
  }

  /** Something that keeps alerts quiet has changed: every open problem is looked at again. */
  async lookAgain(transaction: Transaction): Promise<void> {
    this.#isChanged = true
    const due_at = this.#options.clock.now().toISOString()
    await transaction.updateTable('problem').set({ due_at }).where('state', '=', 'open').execute()
  }

  async find(transaction: Transaction, id: string): Promise<Alert | undefined> {
    const row = await findAlert(transaction, id)
    return row && this.#show(transaction, row)
  }

  /** Newest first. */
  async list(
    transaction: Transaction,
    state: 'open' | 'ended' | 'all',
    { limit, after }: Cursor,
  ): Promise<Paged<Alert>> {
    let query = transaction
      .selectFrom('alert')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (state !== 'all') query = query.where('open_key', state === 'open' ? 'is not' : 'is', null)
    if (after !== undefined) query = query.where('id', '<', after)
    const silences = await activeSilences(transaction, this.#options.clock.now().toISOString())
    return pageOf(
      await query.execute(),
      limit,
      ({ id }) => id,
      row => shownAlert(row, silencedBy(row, silences)),
    )
  }

  /** The channel as it is set; kept until it is changed, with the connection that it may have. */
  open(row: ChannelRow): Channel {
    const known = this.#opened.get(row.id)
    if (known?.updatedAt === row.updated_at) return known.channel
    const channel = openChannel(this.channels.settings(row), row.name)
    this.#opened.set(row.id, { updatedAt: row.updated_at, channel })
    return channel
  }

  /** It was changed or removed: whatever was wrong with it, as it was called then, is over until it shows again. */
  async channelChanged(transaction: Transaction, channel: NamedChannel): Promise<void> {
    this.#isChanged = true
    await this.#channelFails(transaction, channel, null)
  }

  /** A drill has reached it: what waits for it is sent at once. */
  async channelWorks(transaction: Transaction, channel: NamedChannel): Promise<void> {
    await updateChannel(transaction, channel.id, unfailing)
    await this.channelChanged(transaction, channel)
  }

  wake(): void {
    this.#keeper.wake()
    this.#deliveries.wake()
  }

  /** Until `ended`. */
  async run(ended: AbortSignal): Promise<void> {
    const { store, log, pulse, runUrl } = this.#options
    await beginNow(store)
    const reader = runAlertReader({
      take: this.take.bind(this),
      notice: (transaction, source, alert) => this.#notice(transaction, source, alert),
      pageUrl: runUrl,
    })
    await Promise.all([
      runReader(reader, { ...this.#options, ended }),
      this.#keeper.run(ended),
      this.#deliveries.run(ended),
      ...(pulse ? [keepPulse({ ...pulse, log, isWell: () => this.#keeper.isWell }, ended)] : []),
    ])
  }

  async #notice(transaction: Transaction, source: Source, alert: Reported): Promise<void> {
    this.#isChanged = true
    await giveNotice(transaction, source, alert, this.#options.clock.now().toISOString())
  }

  /** `problem` is null where messages reach it again. */
  async #channelFails(
    transaction: Transaction,
    { id, name }: NamedChannel,
    problem: string | null,
  ): Promise<void> {
    const { events, clock } = this.#options
    const alert = channelAlert(name, problem, clock.now())
    const { started, ended } = await this.take(transaction, channelSource, [alert])
    if (started + ended === 0) return
    const type = problem === null ? 'channel.working' : 'channel.failing'
    await events.append(transaction, bySystem, { type, subject: `channel/${id}`, data: { name } })
  }

  async #show(transaction: Transaction, row: AlertRow): Promise<Alert> {
    const silences = await activeSilences(transaction, this.#options.clock.now().toISOString())
    return shownAlert(row, silencedBy(row, silences))
  }

  #acknowledging = (): Acknowledging => ({
    events: this.#options.events,
    problems: this.#problems,
    now: this.#options.clock.now(),
  })
}

function silencedBy(
  { open_key, labels }: AlertRow,
  silences: Awaited<ReturnType<typeof activeSilences>>,
): string[] {
  if (open_key === null) return []
  return silencing(silences, JSON.parse(labels) as Labels).map(({ id }) => id)
}
