/**
 * A reader deals with every event once it has happened: what it writes and its new position are one transaction, so
 * after a crash it goes on exactly where it was.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Event } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Store, Transaction } from '#store'
import { type Events, eventsAfter } from './events.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000

export interface EventReader {
  /** Its position is kept under this name. */
  readonly name: string
  handle(transaction: Transaction, event: Event): Promise<void>
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
  const events = await eventsAfter(transaction, kept?.position ?? 0)
  const last = events.at(-1)
  if (!last) return 0
  for (const event of events) await reader.handle(transaction, event)
  await transaction
    .insertInto('event_reader')
    .values({ name: reader.name, position: last.position })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ position: last.position }))
    .execute()
  return events.length
}
