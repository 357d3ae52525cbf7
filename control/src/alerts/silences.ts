/** Silences: made, listed, ended, and held against alerts. */
import { randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type Matcher,
  matcherText,
  parseMatcher,
  type Silence,
  type SilenceCreate,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Tables, Transaction } from '#store'
import type { Labels } from './labels.ts'
import { allMatch, checkedMatchers } from './matching.ts'

type SilenceRow = Tables['silence']

/** Whoever forgets one is not left in the dark for good. */
const longestMs = 366 * 86_400_000

export interface ActiveSilence {
  readonly id: string
  readonly endsAt: string
  readonly matchers: readonly Matcher[]
}

export class Silences {
  readonly #events: Events
  readonly #clock: Clock

  constructor(events: Events, clock: Clock) {
    this.#events = events
    this.#clock = clock
  }

  async create(transaction: Transaction, origin: Origin, wanted: SilenceCreate): Promise<Silence> {
    const now = this.#clock.now()
    const matchers = checkedMatchers(wanted.matchers)
    const endsMs = Date.parse(wanted.ends_at)
    const mostMs = now.getTime() + longestMs
    if (endsMs <= now.getTime() || endsMs > mostMs) {
      const message = `must be in the future, and before ${new Date(mostMs).toISOString()}`
      throw new Fault('invalid_fields', 'The end is not acceptable.', {
        fields: [{ field: 'ends_at', message }],
      })
    }
    const row: SilenceRow = {
      id: randomUUIDv7(),
      matchers: JSON.stringify(matchers.map(matcherText)),
      starts_at: new Date(wanted.starts_at ?? now).toISOString(),
      ends_at: new Date(endsMs).toISOString(),
      comment: wanted.comment,
      created_by: origin.by,
      created_at: now.toISOString(),
    }
    await transaction.insertInto('silence').values(row).execute()
    const { ends_at, comment } = row
    const data = { matchers: matchers.map(matcherText), ends_at, comment }
    await this.#events.append(transaction, origin, {
      type: 'silence.created',
      subject: `silence/${row.id}`,
      data,
    })
    return this.#show(row)
  }

  /** Ending what has ended changes nothing. */
  async end(transaction: Transaction, origin: Origin, id: string): Promise<void> {
    const row = await this.#named(transaction, id)
    const now = this.#clock.now().toISOString()
    if (row.ends_at <= now) return
    // One that had not begun never did.
    const begun = row.starts_at > now ? { starts_at: now } : {}
    await transaction
      .updateTable('silence')
      .set({ ...begun, ends_at: now })
      .where('id', '=', id)
      .execute()
    await this.#events.append(transaction, origin, { type: 'silence.ended', subject: `silence/${id}` })
  }

  async list(transaction: Transaction, isAll: boolean, { limit, after }: Cursor): Promise<Paged<Silence>> {
    let query = transaction
      .selectFrom('silence')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (!isAll) query = query.where('ends_at', '>', this.#clock.now().toISOString())
    if (after !== undefined) query = query.where('id', '<', after)
    const show = (row: SilenceRow) => this.#show(row)
    return pageOf(await query.execute(), limit, ({ id }) => id, show)
  }

  async matchers(transaction: Transaction, id: string): Promise<string[]> {
    return JSON.parse((await this.#named(transaction, id)).matchers) as string[]
  }

  async #named(transaction: Transaction, id: string): Promise<SilenceRow> {
    const row = await transaction.selectFrom('silence').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) throw new Fault('not_found', `There is no silence ${id}.`)
    return row
  }

  #show(row: SilenceRow): Silence {
    const now = this.#clock.now().toISOString()
    return {
      ...row,
      matchers: JSON.parse(row.matchers) as string[],
      state: row.ends_at <= now ? 'ended' : row.starts_at > now ? 'pending' : 'active',
    }
  }
}

export async function activeSilences(transaction: Transaction, now: string): Promise<ActiveSilence[]> {
  const rows = await transaction
    .selectFrom('silence')
    .selectAll()
    .where('ends_at', '>', now)
    .where('starts_at', '<=', now)
    .orderBy('ends_at', 'desc')
    .execute()
  return rows.map(({ id, ends_at, matchers }) => ({
    id,
    endsAt: ends_at,
    matchers: (JSON.parse(matchers) as string[]).flatMap(text => parseMatcher(text) ?? []),
  }))
}

/** Those that keep an alert with these labels quiet. */
export const silencing = (silences: readonly ActiveSilence[], labels: Labels): ActiveSilence[] =>
  silences.filter(({ matchers }) => matchers.length > 0 && allMatch(matchers, labels))

export async function pruneSilences(transaction: Transaction, before: Date): Promise<void> {
  await transaction.deleteFrom('silence').where('ends_at', '<', before.toISOString()).execute()
}
