/**
 * A reader deals with every event once it has happened: what it writes and its new position are one transaction, so
 * after a crash it goes on exactly where it was.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { EventType } from '@quarterdeck/contract'
import type { Store, Transaction } from '#store'
import { latestPosition } from './events.ts'
import type { Following } from './keep-told.ts'
import { Signal } from './signal.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000
/** Others write too: none has to wait for long. */
const batch = 500
/** How often it steps over what does not concern it, so that this can be pruned. */
const everyMs = 60_000

export interface EventReader {
  /** Its position is kept under this name. */
  readonly name: string
  /** What concerns it. It is woken by these alone, and may be given others with them. */
  readonly types: readonly EventType[]
  /** Deals with the events after one position up to another. */
  handle(transaction: Transaction, after: number, upTo: number): Promise<void>
}

/** Reads until `ended`, and resolves then. A failure is recorded, and tried again after a pause. */
export async function runReader(
  reader: EventReader,
  { store, events, log, ended }: Following,
  stepMs = everyMs,
): Promise<void> {
  const appended = new Signal()
  const stopWatching = events.watch(reader.types, () => appended.raise())
  let pauseMs = firstPauseMs
  while (!ended.aborted) {
    const wake = appended.wait(ended, stepMs)
    try {
      const handled = await store.write(transaction => readBatch(reader, transaction))
      pauseMs = firstPauseMs
      if (handled < batch) await wake
    } catch (error) {
      log.error({ err: error, reader: reader.name }, 'an event reader failed and will try again')
      await wait(pauseMs, undefined, { signal: ended }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }
  stopWatching()
}

/** For one that does not run any more: what it has not seen is not kept for it. */
export async function forgetReader(name: string, store: Store): Promise<void> {
  await store.write(transaction => transaction.deleteFrom('event_reader').where('name', '=', name).execute())
}

async function readBatch(reader: EventReader, transaction: Transaction): Promise<number> {
  const kept = await transaction
    .selectFrom('event_reader')
    .select('position')
    .where('name', '=', reader.name)
    .executeTakeFirst()
  const after = kept?.position ?? 0
  const position = Math.min(await latestPosition(transaction), after + batch)
  if (position <= after) return 0
  await reader.handle(transaction, after, position)
  await transaction
    .insertInto('event_reader')
    .values({ name: reader.name, position })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ position }))
    .execute()
  return position - after
}
