/**
 * Takes a run: it is on disk, or nothing is. The same call again is the same run. A newer push takes the place of one
 * that waits; a rollback takes the place of a waiting rollback, and no push ever takes its.
 */
import { randomUUIDv7 } from 'node:crypto'
import { Fault, type RunKind } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Events } from '#events'
import type { Origin } from '#http'
import type { Transaction } from '#store'
import type { RunRow } from './run-row.ts'
import { fresh, insertRun, type NewRun, selectNewest, supersede } from './run-statements.ts'
import { sinceAll, sinceText } from './since.ts'

const keyKeptMs = 24 * 3600 * 1000
const sameCallMs = 60_000

/** Who asks, in which words. */
export interface KeyedCall {
  /** The id of the token or person. */
  readonly caller: string
  readonly idempotencyKey: string | undefined
  /** Tells requests with the same key apart. */
  readonly requestHash: string
}

/** What is asked for, and by whom. */
export interface Wanted extends KeyedCall {
  readonly project: string
  readonly repository: string
  readonly kind: RunKind
  readonly ref: string | null
  readonly discard: boolean
  /** Of a rollback: to the secrets of then, too. */
  readonly withSecrets?: boolean
  /** Where the branch was before a forge's push: without a relevant change since, there is nothing to do. */
  readonly changedSince?: string
  readonly by: string
  /** Without a key, the same call within a minute is a repetition. */
  readonly repeats: boolean
}

export interface Accepted {
  readonly row: RunRow
  /** Runs that gave way to it. */
  readonly superseded: readonly string[]
}

/** The run that the same key and request started; a fault when the key was another request's. */
export async function sameKey(
  transaction: Transaction,
  { caller, idempotencyKey: key, requestHash }: KeyedCall,
  now: Date,
): Promise<RunRow | undefined> {
  if (key === undefined) return undefined
  const known = await transaction
    .selectFrom('run')
    .selectAll()
    .where('caller', '=', caller)
    .where('idempotency_key', '=', key)
    .where('created_at', '>', ago(now, keyKeptMs))
    .executeTakeFirst()
  if (known && known.request_hash !== requestHash) {
    throw new Fault('idempotency_key_reused', `The key ${JSON.stringify(key)} was used for another request.`)
  }
  return known
}

export async function accept(
  transaction: Transaction,
  { events, clock }: { events: Events; clock: Clock },
  origin: Origin,
  wanted: Wanted,
): Promise<Accepted> {
  const now = clock.now()
  const known = await repeated(transaction, wanted, now)
  if (known) return { row: known, superseded: [] }
  const made = newRun(wanted, origin, now)
  const [placed] = await insertRun(transaction, made)
  const row = { ...made, ...placed! }
  const gaveWay = await supersede(transaction, row)
  const superseded = gaveWay.map(({ id }) => id)
  const changed_since = sinceAll(row, gaveWay)
  if (changed_since !== row.changed_since) {
    row.changed_since = changed_since
    await transaction.updateTable('run').set({ changed_since }).where('id', '=', row.id).execute()
  }
  await events.append(transaction, origin, {
    type: 'run.accepted',
    subject: `run/${row.id}`,
    // One that gave way ended with this, and has no event of its own: every push to a busy project makes one.
    data: { project: row.project, kind: row.kind, ref: row.ref, supersedes: superseded },
  })
  return { row, superseded }
}

/** The newest run, if it is the same call shortly before. Its kind does not tell: the machine decides on that. */
async function repeated(transaction: Transaction, wanted: Wanted, now: Date): Promise<RunRow | undefined> {
  if (!wanted.repeats || wanted.idempotencyKey !== undefined) return undefined
  const [newest] = await selectNewest(transaction, { project: wanted.project })
  const isSame =
    newest?.caller === wanted.caller &&
    newest.ref === wanted.ref &&
    newest.idempotency_key === null &&
    newest.created_at > ago(now, sameCallMs)
  return isSame ? newest : undefined
}

const newRun = (wanted: Wanted, origin: Origin, now: Date): NewRun => ({
  ...fresh,
  id: randomUUIDv7(),
  project: wanted.project,
  repository: wanted.repository,
  kind: wanted.kind,
  ref: wanted.ref,
  discard: wanted.discard ? 1 : 0,
  with_secrets: wanted.withSecrets ? 1 : 0,
  changed_since: wanted.changedSince === undefined ? null : sinceText([wanted.changedSince]),
  caller: wanted.caller,
  idempotency_key: wanted.idempotencyKey ?? null,
  request_hash: wanted.requestHash,
  trigger_by: wanted.by,
  trigger_from: origin.from,
  created_at: now.toISOString(),
})

const ago = (now: Date, ms: number) => new Date(now.getTime() - ms).toISOString()
