/**
 * A reader deals with every event once it has happened: what it writes and its new position are one transaction, so
 * after a crash it goes on exactly where it was.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store, Transaction } from '#store'
import { type Events, latestPosition } from './events.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000
/** Others write too: none has to wait for long. */
const batch = 500

export interface EventReader {
  /** Its position is kept under this name. */
  readonly name: string
  /** Deals with the events after one position up to another. */
  handle(transaction: Transaction, after: number, upTo: number): Promise<void>
}

/** Reads until `ended`, and resolves then. A failure is recorded, and tried again after a pause. */
export async function runReader(
  reader: EventReader,
  { store, events, log, ended }: { store: Store; events: Events; log: Logger; ended: AbortSignal },
): Promise<void> {
  let pauseMs = firstPauseMs
  while (!ended.aborted) {
    const wake = events.next(ended)
    try {
      const handled = await store.write(transaction => readBatch(reader, transaction))
      pauseMs = firstPauseMs
      if (handled === 0) await wake
    } catch (error) {
      log.error({ err: error, reader: reader.name }, 'an event reader failed and will try again')
      await wait(pauseMs, undefined, { signal: ended }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }
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
