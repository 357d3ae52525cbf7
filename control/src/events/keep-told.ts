/** What follows from the store, told at once and again whenever it has become something else. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EventType } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Store, Transaction } from '#store'
import type { Events } from './events.ts'
import { Signal } from './signal.ts'

const retryMs = 1000

export interface Following {
  store: Store
  events: Events
  log: Logger
  ended: AbortSignal
}

export interface Told<T> {
  /** Words for the log. */
  what: string
  /** After events of these types it is read again. */
  changing: readonly EventType[]
  /** Takes what to call when it is to be read again for another reason. */
  listen?(again: () => void): void
  read(transaction: Transaction): Promise<T>
  tell(value: T): void
}

/** Until `ended`. */
export async function keepTold<T>(
  { store, events, log, ended }: Following,
  { what, changing, listen, read, tell }: Told<T>,
): Promise<void> {
  let told = ''
  const changed = new Signal()
  const stopWatching = events.watch(changing, () => changed.raise())
  listen?.(() => changed.raise())
  while (!ended.aborted) {
    const next = changed.wait(ended)
    try {
      const value = await store.read(read)
      const text = JSON.stringify(value)
      if (text !== told) tell(value)
      told = text
      await next
    } catch (error) {
      log.error({ err: error }, `${what} could not be read; trying again`)
      await wait(retryMs, undefined, { signal: ended }).catch(() => undefined)
    }
  }
  stopWatching()
}
