/** Drops, once an hour, what has been kept long enough. */
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import { pruneAlerts } from '#alerts'
import { pruneAudit } from '#audit'
import { pruneRuns } from '#deploy'
import type { Events } from '#events'
import { pruneDeliveries, pruneStatuses } from '#forge'
import { pruneIdempotencyKeys } from '#http'
import type { Store } from '#store'
import type { Config } from './config.ts'

const everyMs = 3_600_000
const dayMs = 86_400_000

export interface Housekeeping {
  config: Config
  store: Store
  events: Events
  clock: Clock
  log: Logger
}

export function keepHouse(options: Housekeeping): { stop(): void } {
  const timer = setInterval(() => {
    prune(options).catch(error => options.log.error({ err: error }, 'housekeeping failed and will try again'))
  }, everyMs)
  return { stop: () => clearInterval(timer) }
}

export async function prune({ config: { retention }, store, events, clock }: Housekeeping): Promise<void> {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs)
  await store.write(transaction => events.prune(transaction, daysAgo(retention.events_days)))
  await store.write(transaction => pruneAudit(transaction, daysAgo(retention.audit_days)))
  await store.write(transaction => pruneIdempotencyKeys(transaction, clock))
  await store.write(transaction => pruneDeliveries(transaction, clock))
  await store.write(transaction => pruneStatuses(transaction, clock))
  await store.write(transaction => pruneAlerts(transaction, daysAgo(retention.alerts_days)))
  const [logsBefore, runsBefore] = [daysAgo(retention.run_logs_days), daysAgo(retention.runs_days)]
  await store.write(transaction => pruneRuns(transaction, { logsBefore, runsBefore }))
}
