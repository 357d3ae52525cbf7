/** How runs go, written to the forge as statuses of their commits: a reader that keeps what is due, and who sends it. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Deploys } from '#deploy'
import { type Events, runReader } from '#events'
import type { Store } from '#store'
import type { Forges } from './forges.ts'
import { statusReader } from './status-outbox.ts'
import { type SenderTiming, StatusSender } from './status-sender.ts'

export interface StatusesOptions {
  store: Store
  events: Events
  clock: Clock
  log: Logger
  forges: Forges
  deploys: Deploys
  ended: AbortSignal
  timing?: SenderTiming
}

/** Until `ended`. */
export async function writeStatuses(options: StatusesOptions): Promise<void> {
  const { store, clock, forges, ended } = options
  const sender = new StatusSender(options)
  let changed = false
  const stopHearing = store.onCommit(() => {
    if (changed) sender.wake()
    changed = false
  })
  const reader = statusReader(forges, clock, () => {
    changed = true
  })
  await Promise.all([runReader(reader, options), sender.run(ended)])
  stopHearing()
}
