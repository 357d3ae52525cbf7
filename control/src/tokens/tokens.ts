/** Tokens: made once, shown once, found by their hash, revoked for good. */
import { createHash, randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type Token,
  type TokenCreate,
  type TokenCreated,
  type TokenKind,
  tokenPattern,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Store, Transaction } from '#store'

/** `last_used_at` is to the minute, so that reading does not become writing. */
const usedEveryMs = 60_000

export interface TokenFound {
  id: string
  kind: TokenKind
  label: string
  project: string | null
}

export class Tokens {
  readonly #store: Store
  readonly #events: Events
  readonly #clock: Clock
  readonly #usedMs = new Map<string, number>()

  constructor(store: Store, events: Events, clock: Clock) {
    this.#store = store
    this.#events = events
    this.#clock = clock
  }

  async create(
    transaction: Transaction,
    origin: Origin,
    kind: TokenKind,
    wanted: TokenCreate,
  ): Promise<TokenCreated> {
    const now = this.#clock.now().toISOString()
    // Stored times are all written alike, so that they compare as text.
    const expiresAt = wanted.expires_at === undefined ? null : new Date(wanted.expires_at).toISOString()
    if (expiresAt !== null && expiresAt <= now) {
      throw new Fault('invalid_fields', 'The token would have expired before it was made.', {
        fields: [{ field: 'expires_at', message: 'must lie in the future' }],
      })
    }
    const token = `qd_${kind}_${randomBytes(32).toString('base64url')}`
    const row = {
      id: randomUUIDv7(),
      kind,
      hash: hashOf(token),
      label: wanted.label,
      project: null,
      created_at: now,
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    }
    await transaction.insertInto('token').values(row).execute()
    await this.#events.append(transaction, origin, {
      type: 'token.created',
      subject: `token/${row.id}`,
      data: { kind, label: row.label, expires_at: row.expires_at },
    })
    return { id: row.id, label: row.label, token, expires_at: row.expires_at }
  }

  /** The token, if it is one that still counts. */
  async find(token: string): Promise<TokenFound | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const row = await this.#store.read(transaction =>
      transaction.selectFrom('token').selectAll().where('hash', '=', hashOf(token)).executeTakeFirst(),
    )
    const now = this.#clock.now().toISOString()
    if (!row || row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now))
      return undefined
    this.#used(row.id, now)
    return { id: row.id, kind: row.kind as TokenKind, label: row.label, project: row.project }
  }

  /** Newest first. */
  async list(transaction: Transaction, kind: TokenKind, { limit, after }: Cursor): Promise<Paged<Token>> {
    let query = transaction
      .selectFrom('token')
      .select(['id', 'kind', 'label', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'])
      .where('kind', '=', kind)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (after !== undefined) query = query.where('id', '<', after)
    return pageOf(
      await query.execute(),
      limit,
      row => row.id,
      row => ({ ...row, kind }),
    )
  }

  /** Revoking what is revoked already changes nothing. */
  async revoke(transaction: Transaction, origin: Origin, id: string): Promise<void> {
    const row = await transaction.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) throw new Fault('not_found', `There is no token ${id}.`)
    if (row.revoked_at !== null) return
    await transaction
      .updateTable('token')
      .set({ revoked_at: this.#clock.now().toISOString() })
      .where('id', '=', id)
      .execute()
    await this.#events.append(transaction, origin, {
      type: 'token.revoked',
      subject: `token/${id}`,
      data: { kind: row.kind, label: row.label },
    })
  }

  #used(id: string, now: string): void {
    const nowMs = this.#clock.monotonicMs()
    const lastMs = this.#usedMs.get(id)
    if (lastMs !== undefined && nowMs - lastMs < usedEveryMs) return
    this.#usedMs.set(id, nowMs)
    this.#store
      .write(transaction =>
        transaction.updateTable('token').set({ last_used_at: now }).where('id', '=', id).execute(),
      )
      // Nobody waits for it; the next use tries again.
      .catch(() => this.#usedMs.delete(id))
  }
}

export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
