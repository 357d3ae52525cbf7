/** From the instances of a service to the service. */
import type { ServiceStatus } from '@quarterdeck/contract'
import type { Condition } from './condition.ts'
import type { SpentKind } from './time-spent.ts'
import type { Reason } from './verdict.ts'

export interface RolledUp {
  readonly status: ServiceStatus
  /** Since when the instances are so, as far as they tell. */
  readonly since: number | null
  readonly reason: Reason | null
  readonly up: number
  readonly total: number
}

/** Those of which nothing is known yet decide nothing while something is known of others. */
export function rollUp(conditions: readonly Condition[]): RolledUp {
  const total = conditions.length
  const known = conditions.filter(({ state }) => state !== 'unknown')
  const down = known.filter(({ state }) => state === 'down')
  const degraded = known.filter(({ state }) => state === 'degraded')
  const up = known.length - down.length
  const told = (status: ServiceStatus, why: readonly Condition[]): RolledUp => {
    const since = why.map(condition => condition.since ?? 0)
    // It has been so since the first of them failed, or since the last of them was well again.
    const edge = status === 'operational' || status === 'outage' ? Math.max : Math.min
    return { status, since: edge(...since), reason: why[0]?.reason ?? null, up, total }
  }
  if (known.length === 0) return { status: 'unknown', since: null, reason: null, up, total }
  if (down.length === known.length) return told('outage', down)
  if (down.length > 0) return told('partial_outage', down)
  return degraded.length > 0 ? told('degraded', degraded) : told('operational', known)
}

/** What the time in a status is counted as. While some of its instances answer, a service is up, and not as it should be. */
export const spentIn: Record<ServiceStatus, SpentKind> = {
  operational: 'up',
  degraded: 'degraded',
  partial_outage: 'degraded',
  outage: 'down',
  maintenance: 'maintenance',
  unknown: 'unknown',
}

/** Null: it is not known. */
export const isOk = (status: ServiceStatus): boolean | null =>
  status === 'unknown' ? null : status !== 'outage' && status !== 'partial_outage'
