/** Services for tests of what is kept of them. */
import { join } from 'node:path'
import type { ServiceStatus } from '@quarterdeck/contract'
import { FakeClock, memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Events } from '#events'
import { type Engine, Store } from '#store'
import type { SpentKind } from '../time-spent.ts'
import { Gaps } from './gaps.ts'
import { History } from './history.ts'
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

export const start = '2026-03-02T00:00:00Z'
export const startS = Date.parse(start) / 1000

export interface HistoryUnderTest {
  readonly history: History
  readonly store: Store
  readonly events: Events
  readonly clock: FakeClock
  readonly log: ReturnType<typeof memoryLog>
  now(): number
  /** Time passes, and somebody is there. */
  watch(seconds: number, everyS?: number): void
  /** As another process on the same database; this one is stopped, or killed. */
  again(how?: 'stopped' | 'killed', awayS?: number): Promise<HistoryUnderTest>
}

/** What is kept, on a real database. */
export async function historyUnderTest(
  engine: () => Engine,
  clock = new FakeClock(start),
): Promise<HistoryUnderTest> {
  const log = memoryLog()
  const store = await Store.open(engine(), { clock })
  const events = new Events(store, clock)
  const history = await History.open({ store, events, clock, log: log.log })
  let isOpen = true
  const close = async (how = 'stopped') => {
    if (isOpen && how === 'stopped') await history.stop()
    if (isOpen) await store.close()
    isOpen = false
  }
  onTestFinished(() => close())
  return {
    ...{ history, store, events, clock, log },
    now: () => clock.now().getTime() / 1000,
    watch(seconds, everyS = 5) {
      for (let passed = 0; passed < seconds; passed += everyS) {
        clock.advance(Math.min(everyS, seconds - passed) * 1000)
        history.tick()
      }
    },
    async again(how, awayS = 0) {
      await close(how)
      clock.advance(awayS * 1000)
      return historyUnderTest(engine, clock)
    },
  }
}

export const databaseFile = () => join(temporaryDirectory(), 'database.sqlite')
