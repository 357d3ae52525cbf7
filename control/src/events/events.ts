/**
 * The event stream: facts, appended in the writer's own transaction, so that a fact is stored exactly when what it tells
 * of is. Readers keep their own position and get every event at least once, in order.
 */
import { randomUUIDv7 } from 'node:crypto'
import { type Event, type EventType, maskSecrets } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Origin } from '#http'
import { prepared, type Store, type Tables, type Transaction } from '#store'
import { Signal } from './signal.ts'

const batch = 200
/** How often readers look on their own where other processes write too. */
const lookMs = 1000
/** Events that come faster than this are told of together: whoever hears of them looks at the store. */
const togetherMs = 20

export interface Fact {
  type: EventType
  /** A kind, a slash and its name or id: `token/0199…`. */
  subject: string
  data?: Event['data']
}

export class Events {
  readonly #store: Store
  readonly #clock: Clock
  readonly #signal = new Signal()
  readonly #watching = new Set<{ types: ReadonlySet<EventType>; wake(): void }>()
  /** In the transaction that is open. */
  readonly #appended = new Set<EventType>()
  #untold = new Set<EventType>()
  #pause: NodeJS.Timeout | undefined

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    store.onCommit(() => this.#committed())
  }

  /** Stores the fact with whatever else the transaction does. */
  async append(transaction: Transaction, origin: Origin, { type, subject, data = {} }: Fact): Promise<void> {
    await insertEvent(transaction, {
      id: randomUUIDv7(),
      at: this.#clock.now().toISOString(),
      type,
      subject,
      by: origin.by,
      from: origin.from,
      request_id: origin.requestId,
      data: maskSecrets(JSON.stringify(data)),
    })
    this.#appended.add(type)
  }

  /** Of the newest event; 0 when there is none. */
  latest(): Promise<number> {
    return this.#store.read(latestPosition)
  }

  after(position: number): Promise<Event[]> {
    return this.#store.read(transaction => eventsAfter(transaction, position))
  }

  /** Batches of events after `position`, for as long as the signal is not given; waits where there are none. */
  async *follow(position: number, ended: AbortSignal): AsyncGenerator<Event[]> {
    let reached = position
    while (!ended.aborted) {
      const wake = this.#next(ended)
      const events = await this.after(reached)
      if (events.length === 0) {
        await wake
        continue
      }
      reached = events.at(-1)!.position
      yield events
    }
  }

  /** Resolves when something was appended since the call, or it is time to look, or `ended`. Ask before reading, so that nothing slips between. */
  #next(ended: AbortSignal): Promise<void> {
    return this.#signal.wait(ended, this.#store.flags.concurrent_writers ? lookMs : undefined)
  }

  /**
   * Calls `listener` soon after events of these types were appended, and now and then where other processes append too.
   * For who wants to look again, not to read what happened. Returns how to end that.
   */
  watch(types: readonly EventType[], listener: () => void): () => void {
    const watching = { types: new Set(types), wake: listener }
    this.#watching.add(watching)
    const looking = this.#store.flags.concurrent_writers ? setInterval(listener, lookMs) : undefined
    return () => {
      clearInterval(looking)
      this.#watching.delete(watching)
    }
  }

  #committed(): void {
    if (this.#appended.size === 0) return
    for (const type of this.#appended) this.#untold.add(type)
    this.#appended.clear()
    if (!this.#pause) this.#tell()
  }

  /** At once, and then not before the pause is over. */
  #tell(): void {
    const told = this.#untold
    this.#untold = new Set()
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      if (this.#untold.size > 0) this.#tell()
    }, togetherMs).unref()
    this.#signal.raise()
    for (const { types, wake } of this.#watching) if ([...told].some(type => types.has(type))) wake()
  }

  /** Drops what is older, except what some reader has not seen yet, and the newest, which holds the position. */
  async prune(transaction: Transaction, before: Date): Promise<void> {
    const slowest = await transaction
      .selectFrom('event_reader')
      .select(({ fn }) => fn.min('position').as('position'))
      .executeTakeFirst()
    const latest = await latestPosition(transaction)
    await transaction
      .deleteFrom('event')
      .where('at', '<', before.toISOString())
      .where('position', '<', latest)
      .where('position', '<=', slowest?.position ?? latest)
      .execute()
  }
}

const insertEvent = prepared<Omit<Tables['event'], 'position'>, unknown>((transaction, hole) =>
  transaction.insertInto('event').values(({ selectFrom, fn, val, eb }) => ({
    // There is one writer at a time, so positions are without gaps and in the order of the commits.
    position: selectFrom('event').select(eb(fn.coalesce(fn.max('position'), val(0)), '+', 1).as('next')),
    id: hole('id'),
    at: hole('at'),
    type: hole('type'),
    subject: hole('subject'),
    by: hole('by'),
    from: hole('from'),
    request_id: hole('request_id'),
    data: hole('data'),
  })),
)

const selectAfter = prepared<{ position: number }, Tables['event']>((transaction, hole) =>
  transaction
    .selectFrom('event')
    .selectAll()
    .where('position', '>', hole('position'))
    .orderBy('position')
    .limit(batch),
)

export async function eventsAfter(transaction: Transaction, position: number): Promise<Event[]> {
  const rows = await selectAfter(transaction, { position })
  return rows.map(row => ({ ...row, data: JSON.parse(row.data) as Event['data'] }))
}

export async function latestPosition(transaction: Transaction): Promise<number> {
  const row = await transaction
    .selectFrom('event')
    .select(({ fn }) => fn.max('position').as('position'))
    .executeTakeFirst()
  return row?.position ?? 0
}
