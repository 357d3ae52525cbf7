/** Watching the watcher: calls an address outside, for as long as alerts are really kept; whoever is there misses us when we die. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { deliver } from './channels/outgoing.ts'

export interface PulseOptions {
  /** A secret: whoever knows it can pretend to be us. */
  url: string
  everyMs: number
  log: Logger
  /** Whether alerts were looked at, and the store could be written to, a short while ago. */
  isWell(): boolean
}

/** Until `ended`. */
export async function keepPulse(
  { url, everyMs, log, isWell }: PulseOptions,
  ended: AbortSignal,
): Promise<void> {
  let wasWell = true
  while (!ended.aborted) {
    const outcome = isWell()
      ? await deliver(url, 'The watcher of this environment', { method: 'GET', ended })
      : { what: 'again' as const, problem: 'Alerts are not being kept, so no heartbeat is sent.', afterMs: 0 }
    const problem = outcome.what === 'sent' ? undefined : outcome.problem
    if (problem !== undefined && wasWell && !ended.aborted)
      log.warn({ problem }, 'the heartbeat could not be sent')
    if (problem === undefined && !wasWell) log.info('the heartbeat is sent again')
    wasWell = problem === undefined
    await wait(everyMs, undefined, { signal: ended }).catch(() => undefined)
  }
}
