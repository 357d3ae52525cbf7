/**
 * `Idempotency-Key`: the same key and request give the same reply for 24 hours and have no second effect. The reply is
 * kept in the transaction that did the work, sealed with the caller's own token, because it may show a secret.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Fault } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Transaction } from '#store'
import type { Identity } from './caller.ts'

const keptForMs = 24 * 3600 * 1000

export interface Reply {
  status: number
  body: string | null
}

export interface KeyedRequest {
  identity: Identity
  key: string
  method: string
  path: string
  body: unknown
}

/** Runs `work` unless the same request was answered before; then that answer is given again. */
export async function once(
  transaction: Transaction,
  request: KeyedRequest,
  clock: Clock,
  work: () => Promise<Reply>,
): Promise<Reply & { replayed: boolean }> {
  const kept = await keptReply(transaction, request, clock)
  if (kept) return { ...kept, replayed: true }
  const reply = await work()
  const row = {
    request_hash: hashOf(request),
    reply: seal(reply, request),
    created_at: clock.now().toISOString(),
  }
  await transaction
    .insertInto('idempotency_key')
    .values({ caller: request.identity.id, key: request.key, ...row })
    .onConflict(conflict => conflict.columns(['caller', 'key']).doUpdateSet(row))
    .execute()
  return { ...reply, replayed: false }
}

/** What the same request was answered before; a fault when the key was another request's. */
export async function keptReply(
  transaction: Transaction,
  request: KeyedRequest,
  clock: Clock,
): Promise<Reply | undefined> {
  const kept = await transaction
    .selectFrom('idempotency_key')
    .selectAll()
    .where('caller', '=', request.identity.id)
    .where('key', '=', request.key)
    .executeTakeFirst()
  if (!kept || kept.created_at <= expiry(clock)) return undefined
  if (kept.request_hash === hashOf(request)) return unseal(kept.reply, request)
  throw new Fault(
    'idempotency_key_reused',
    `The key ${JSON.stringify(request.key)} was used for another request.`,
  )
}

export async function pruneIdempotencyKeys(transaction: Transaction, clock: Clock): Promise<void> {
  await transaction.deleteFrom('idempotency_key').where('created_at', '<=', expiry(clock)).execute()
}

const expiry = (clock: Clock) => new Date(clock.now().getTime() - keptForMs).toISOString()

/** Keyed with what only the caller has: nobody can find a secret in the body by trying. */
const hashOf = ({ identity, method, path, body }: KeyedRequest) =>
  createHmac('sha256', identity.secret)
    .update(JSON.stringify([method, path, body ?? null]))
    .digest('hex')

function seal(reply: Reply, request: KeyedRequest): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(request), nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

function unseal(text: string, request: KeyedRequest): Reply {
  const bytes = Buffer.from(text, 'base64')
  const cipher = createDecipheriv('aes-256-gcm', sealingKey(request), bytes.subarray(0, 12))
  cipher.setAuthTag(bytes.subarray(12, 28))
  return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString()) as Reply
}

const sealingKey = ({ identity, key }: KeyedRequest) =>
  Buffer.from(hkdfSync('sha256', identity.secret, key, 'quarterdeck idempotent reply', 32))
