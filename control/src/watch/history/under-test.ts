/** Services for tests of what is kept of them. */
import type { ServiceStatus } from '@quarterdeck/contract'
import type { SpentKind } from '../time-spent.ts'
import { Gaps } from './gaps.ts'
import { type Change, Ledger } from './ledger.ts'

const statuses: Record<SpentKind, ServiceStatus> = {
  up: 'operational',
  degraded: 'degraded',
  down: 'outage',
  maintenance: 'maintenance',
  unknown: 'unknown',
}

export function change(at: number, kind: SpentKind): Change {
  const reason = kind === 'down' ? ({ code: 'timeout', message: 'It does not answer.' } as const) : null
  return { at, kind, status: statuses[kind], reason }
}

/** The ledger of a service that changed so, without gaps in observation. */
export function countOf(changes: readonly [number, SpentKind][]): Ledger {
  const ledger = new Ledger(new Gaps(15))
  for (const [at, kind] of changes) ledger.note(change(at, kind))
  return ledger
}
