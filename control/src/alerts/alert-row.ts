/** Alerts as they are stored. Whatever every report does is compiled once, and done for many at a time. */
import type { Alert, AlertState, Severity } from '@quarterdeck/contract'
import { prepared, type Tables, type Transaction } from '#store'

export type AlertRow = Tables['alert']

/** Names in one statement; what is left is filled up with ''. */
const atOnce = 100
const places = Array.from({ length: atOnce }, (_, index) => `f${index}`)
type Many = Record<string, string>

const manyOf = (list: readonly string[]): Many =>
  Object.fromEntries(places.map((place, index) => [place, list[index] ?? '']))

function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += atOnce) yield list.slice(from, from + atOnce)
}

export type OpenRow = Pick<AlertRow, 'id' | 'fingerprint' | 'problem_id' | 'state' | 'annotations'>

export async function openByFingerprint(
  transaction: Transaction,
  fingerprints: readonly string[],
): Promise<ReadonlyMap<string, OpenRow>> {
  const found = new Map<string, OpenRow>()
  for (const chunk of chunks(fingerprints)) {
    for (const row of await selectOpen(transaction, manyOf(chunk))) found.set(row.fingerprint, row)
  }
  return found
}

const selectOpen = prepared<Many, OpenRow>((transaction, hole) =>
  transaction
    .selectFrom('alert')
    .select(['id', 'fingerprint', 'problem_id', 'state', 'annotations'])
    .where(
      'open_key',
      'in',
      places.map(place => hole(place)),
    ),
)

export async function insertAlert(transaction: Transaction, row: AlertRow): Promise<void> {
  await insert(transaction, row)
}

const insert = prepared<AlertRow, unknown>((transaction, hole) =>
  transaction.insertInto('alert').values({
    id: hole('id'),
    fingerprint: hole('fingerprint'),
    open_key: hole('open_key'),
    problem_id: hole('problem_id'),
    state: hole('state'),
    severity: hole('severity'),
    severity_rank: hole('severity_rank'),
    service: hole('service'),
    labels: hole('labels'),
    annotations: hole('annotations'),
    source: hole('source'),
    generator_url: hole('generator_url'),
    starts_at: hole('starts_at'),
    lease_until: hole('lease_until'),
    ended_at: hole('ended_at'),
    acknowledged_at: hole('acknowledged_at'),
    acknowledged_by: hole('acknowledged_by'),
  }),
)

export async function extendLease(
  transaction: Transaction,
  fingerprints: readonly string[],
  leaseUntil: string,
): Promise<void> {
  for (const chunk of chunks(fingerprints)) await extend(transaction, { ...manyOf(chunk), leaseUntil })
}

const extend = prepared<Many, unknown>((transaction, hole) =>
  transaction
    .updateTable('alert')
    .set({ lease_until: hole('leaseUntil') })
    .where(
      'open_key',
      'in',
      places.map(place => hole(place)),
    ),
)

/** It fires, whatever was thought of it before. */
export async function reportAgain(
  transaction: Transaction,
  id: string,
  { annotations, leaseUntil }: { annotations: string; leaseUntil: string | null },
): Promise<void> {
  await transaction
    .updateTable('alert')
    .set({ state: 'firing', annotations, lease_until: leaseUntil })
    .where('id', '=', id)
    .execute()
}

export async function endAlerts(
  transaction: Transaction,
  ended: readonly { id: string; endedAt: string }[],
): Promise<void> {
  for (const { id, endedAt } of ended) await end(transaction, { id, endedAt })
}

const end = prepared<{ id: string; endedAt: string }, unknown>((transaction, hole) =>
  transaction
    .updateTable('alert')
    .set({ state: 'resolved', open_key: null, lease_until: null, ended_at: hole('endedAt') })
    .where('id', '=', hole('id')),
)

export const findAlert = (transaction: Transaction, id: string): Promise<AlertRow | undefined> =>
  transaction.selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst()

/** Worst first, those that have ended last. */
export const alertsOf = (transaction: Transaction, problemId: string, limit: number): Promise<AlertRow[]> =>
  transaction
    .selectFrom('alert')
    .selectAll()
    .where('problem_id', '=', problemId)
    .orderBy(({ eb }) => eb.case().when('open_key', 'is', null).then(1).else(0).end())
    .orderBy('severity_rank')
    .orderBy('starts_at')
    .orderBy('id')
    .limit(limit)
    .execute()

export const shownAlert = (row: AlertRow, silenced_by: string[]): Alert => ({
  id: row.id,
  fingerprint: row.fingerprint,
  problem_id: row.problem_id,
  state: row.state as AlertState,
  severity: row.severity as Severity,
  labels: JSON.parse(row.labels) as Alert['labels'],
  annotations: JSON.parse(row.annotations) as Alert['annotations'],
  source: row.source,
  starts_at: row.starts_at,
  lease_until: row.lease_until,
  ended_at: row.ended_at,
  acknowledged:
    row.acknowledged_at === null ? null : { at: row.acknowledged_at, by: row.acknowledged_by ?? '' },
  silenced_by,
  generator_url: row.generator_url,
})
