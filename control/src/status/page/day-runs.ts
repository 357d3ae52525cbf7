/** Days that are alike, one after the other, as one: few elements for many days, in bars and in tables. */
import type { Day } from '@quarterdeck/contract'
import { words } from './words.ts'

export type DayState = 'up' | 'degraded' | 'down' | 'maintenance' | 'unknown'

export interface DayRun {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly state: DayState
  /** What there is to say beside the state. */
  readonly details: string
}

/** What a day is remembered for: the worst of it, of which there was enough to matter. */
export function stateOf({ up_s, degraded_s, down_s, maintenance_s }: Day): DayState {
  if (down_s > 0) return 'down'
  if (degraded_s > 0) return 'degraded'
  if (maintenance_s > 0) return 'maintenance'
  return up_s > 0 ? 'up' : 'unknown'
}

export function runsOf(days: readonly Day[]): DayRun[] {
  const runs: DayRun[] = []
  for (const day of days) {
    const state = stateOf(day)
    const details = detailsOf(day)
    const last = runs.at(-1)
    if (last?.state === state && last.details === details)
      runs[runs.length - 1] = { ...last, to: day.date, count: last.count + 1 }
    else runs.push({ from: day.date, to: day.date, count: 1, state, details })
  }
  return runs
}

function detailsOf({ up_s, degraded_s, down_s, maintenance_s, unknown_s }: Day): string {
  const known = up_s + degraded_s + down_s + maintenance_s
  if (known === 0) return ''
  const parts = [
    down_s > 0 && words.down(words.duration(down_s)),
    degraded_s > 0 && words.degraded(words.duration(degraded_s)),
    maintenance_s > 0 && words.maintained(words.duration(maintenance_s)),
    unknown_s > 0 && words.unobserved(words.duration(unknown_s)),
  ]
  return parts.filter(Boolean).join(', ')
}

const stateWords: Record<DayState, string> = {
  up: words.serviceStatus.operational,
  degraded: words.serviceStatus.degraded,
  down: words.serviceStatus.outage,
  maintenance: words.serviceStatus.maintenance,
  unknown: words.serviceStatus.unknown,
}

export const stateWord = (state: DayState): string => stateWords[state]
