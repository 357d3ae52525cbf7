/** Tokens: made once, shown once, found by their hash, revoked for good. */
import { hash, randomBytes, randomUUIDv7 } from 'node:crypto'
import {
  Fault,
  type Token,
  type TokenCreate,
  type TokenCreated,
  type TokenKind,
  type TokenRotate,
  tokenPattern,
} from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import { type Cursor, type Origin, type Paged, pageOf } from '#http'
import type { Store, Tables, Transaction } from '#store'
import { FoundTokens } from './found-tokens.ts'

/** `last_used_at` is to the minute, so that reading does not become writing. */
const usedEveryMs = 60_000

/** What the cursor of a list of tokens holds: an id. */
export const tokenCursor = /^[0-9a-f-]{36}$/

export interface TokenFound {
  id: string
  kind: TokenKind
  label: string
  project: string | null
}

/** Which tokens a list is of. */
export interface TokensOf {
  kind: TokenKind
  project?: string
}

type TokenRow = Tables['token']

export class Tokens {
  readonly #store: Store
  readonly #events: Events
  readonly #clock: Clock
  readonly #found: FoundTokens<TokenRow>
  readonly #usedMs = new Map<string, number>()

  constructor(store: Store, events: Events, clock: Clock) {
    this.#store = store
    this.#events = events
    this.#clock = clock
    this.#found = new FoundTokens(store, clock)
  }

  /** `project` is that of a deploy token, which is for one alone. */
  async create(
    transaction: Transaction,
    origin: Origin,
    kind: TokenKind,
    wanted: TokenCreate,
    project: string | null = null,
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
      project,
      created_at: now,
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    }
    this.#found.change()
    await transaction.insertInto('token').values(row).execute()
    await this.#events.append(transaction, origin, {
      type: 'token.created',
      subject: `token/${row.id}`,
      data: { ...described(row), expires_at: row.expires_at },
    })
    return { id: row.id, label: row.label, token, expires_at: row.expires_at }
  }

  /** The token, if it is one that still counts. */
  async find(token: string): Promise<TokenFound | undefined> {
    if (!tokenPattern.test(token)) return undefined
    const hash = hashOf(token)
    const row = await this.#found.get(hash, () =>
      this.#store.read(transaction =>
        transaction.selectFrom('token').selectAll().where('hash', '=', hash).executeTakeFirst(),
      ),
    )
    const now = this.#clock.now().toISOString()
    if (!row || !counts(row, now)) return undefined
    this.#used(row.id, now)
    return { id: row.id, kind: row.kind as TokenKind, label: row.label, project: row.project }
  }

  /** Newest first. */
  async list(
    transaction: Transaction,
    { kind, project }: TokensOf,
    { limit, after }: Cursor,
  ): Promise<Paged<Token>> {
    let query = transaction
      .selectFrom('token')
      .select(['id', 'kind', 'label', 'project', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'])
      .where('kind', '=', kind)
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (project !== undefined) query = query.where('project', '=', project)
    if (after !== undefined) query = query.where('id', '<', after)
    return pageOf(
      await query.execute(),
      limit,
      row => row.id,
      row => ({ ...row, kind }),
    )
  }

  /** A successor of the same kind, label and project. The old token counts until the overlap ends, if it lasts so long. */
  async rotate(
    transaction: Transaction,
    origin: Origin,
    id: string,
    { overlap_s, expires_at }: TokenRotate,
  ): Promise<TokenCreated> {
    const nowMs = this.#clock.now().getTime()
    const row = await byId(transaction, id)
    if (!counts(row, new Date(nowMs).toISOString())) {
      throw new Fault('not_found', `The token ${id} no longer counts, so nothing can follow it.`)
    }
    const wanted = { label: row.label, ...(expires_at !== undefined && { expires_at }) }
    const successor = await this.create(transaction, origin, row.kind as TokenKind, wanted, row.project)
    const overlapEnd = new Date(nowMs + overlap_s * 1000).toISOString()
    const end = row.expires_at !== null && row.expires_at < overlapEnd ? row.expires_at : overlapEnd
    await transaction.updateTable('token').set({ expires_at: end }).where('id', '=', id).execute()
    await this.#events.append(transaction, origin, {
      type: 'token.rotated',
      subject: `token/${id}`,
      data: { ...described(row), successor: successor.id, expires_at: end },
    })
    return successor
  }

  /** Revoking what is revoked already changes nothing. */
  async revoke(transaction: Transaction, origin: Origin, id: string): Promise<void> {
    const row = await byId(transaction, id)
    if (row.revoked_at === null) await this.#revoke(transaction, origin, row)
  }

  /** All deploy tokens of a project. */
  async revokeForProject(transaction: Transaction, origin: Origin, project: string): Promise<void> {
    const rows = await transaction
      .selectFrom('token')
      .selectAll()
      .where('project', '=', project)
      .where('revoked_at', 'is', null)
      .execute()
    for (const row of rows) await this.#revoke(transaction, origin, row)
  }

  async #revoke(transaction: Transaction, origin: Origin, row: TokenRow): Promise<void> {
    this.#found.change()
    await transaction
      .updateTable('token')
      .set({ revoked_at: this.#clock.now().toISOString() })
      .where('id', '=', row.id)
      .execute()
    await this.#events.append(transaction, origin, {
      type: 'token.revoked',
      subject: `token/${row.id}`,
      data: described(row),
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

export const hashOf = (token: string) => hash('sha256', token)

async function byId(transaction: Transaction, id: string): Promise<TokenRow> {
  const row = await transaction.selectFrom('token').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw new Fault('not_found', `There is no token ${id}.`)
  return row
}

const counts = ({ revoked_at, expires_at }: TokenRow, now: string) =>
  revoked_at === null && (expires_at === null || expires_at > now)

/** What the events of a token say of it. */
const described = ({ kind, label, project }: Pick<TokenRow, 'kind' | 'label' | 'project'>) => ({
  kind,
  label,
  ...(project !== null && { project }),
})
