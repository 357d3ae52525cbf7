/** What incidents and maintenances do alike with their rows: found, listed, changed, told of. */
import { Fault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events, Fact } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Tables, Transaction } from '#store'

export interface NoticeOptions {
  readonly events: Events
  readonly clock: Clock
  /** Whether there is a service of this id. */
  isService(id: string): boolean
}

export class NoticeRows<Kind extends 'incident' | 'maintenance'> {
  readonly #kind: Kind
  readonly #options: NoticeOptions

  constructor(kind: Kind, options: NoticeOptions) {
    this.#kind = kind
    this.#options = options
  }

  async named(transaction: Transaction, id: string): Promise<Tables[Kind]> {
    const row = await this.#select(transaction).where('id', '=', id).executeTakeFirst()
    if (row) return row as Tables[Kind]
    throw new Fault('not_found', `There is no ${this.#kind} ${id}.`)
  }

  /** Newest first. */
  async page(
    transaction: Transaction,
    { limit, after }: Cursor,
    narrowed: (query: Selecting) => Selecting = query => query,
  ): Promise<Paged<Tables[Kind]>> {
    const query = narrowed(this.#select(transaction))
      .orderBy('id', 'desc')
      .limit(limit + 1)
    const rows = await (after === undefined ? query : query.where('id', '<', after)).execute()
    return pageOf(
      rows as Tables[Kind][],
      limit,
      ({ id }) => id,
      row => row,
    )
  }

  async set(transaction: Transaction, id: string, change: Partial<Tables[Kind]>): Promise<void> {
    const row = { ...change, updated_at: this.now() } as Partial<Tables['incident']>
    await transaction.updateTable(this.#table).set(row).where('id', '=', id).execute()
  }

  tell(
    transaction: Transaction,
    origin: Origin,
    type: Fact['type'],
    id: string,
    data: NonNullable<Fact['data']>,
  ): Promise<void> {
    const subject = `${this.#kind}/${id}`
    return this.#options.events.append(transaction, origin, { type, subject, data })
  }

  /** Whoever names a service that is not there has mistyped it; one that it was about before may have gone since. */
  refuseUnknown(ids: readonly string[], before: readonly string[] = []): void {
    const unknown = ids.filter(id => !before.includes(id) && !this.#options.isService(id))
    if (unknown.length === 0) return
    throw new Fault('invalid_fields', `There is no service ${unknown.join(', ')}.`, {
      fields: [{ field: 'service_ids', message: `must name services; unknown: ${unknown.join(', ')}` }],
    })
  }

  nowMs = (): number => this.#options.clock.now().getTime()
  now = (): string => this.#options.clock.now().toISOString()

  #select(transaction: Transaction): Selecting {
    return transaction.selectFrom(this.#table).selectAll()
  }

  /** Of the columns that are asked for here, both tables have the same. */
  get #table(): 'incident' {
    return this.#kind as 'incident'
  }
}

type Selecting = ReturnType<typeof selecting>
const selecting = (transaction: Transaction) => transaction.selectFrom('incident').selectAll()
