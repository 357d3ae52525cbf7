/**
 * From single looks to a verdict that does not flap: it turns bad after so many bad looks in a row and good after so many
 * good ones, and counts from the first of them, which is when it really began.
 */
import type { ReasonCode } from '@quarterdeck/contract'

/** What one look saw; null: all is well. */
export interface Look {
  /** Seconds since 1970. */
  readonly at: number
  readonly reason: Reason | null
}

export interface Reason {
  readonly code: ReasonCode
  /** For people, without inner addresses. */
  readonly message: string
}

export interface Verdict {
  /** Unknown: not looked at since somebody watches, or not often enough to tell. */
  readonly state: 'good' | 'bad' | 'unknown'
  /** When it became so; null while unknown. */
  readonly since: number | null
  /** Of the newest bad look; null unless it is bad. */
  readonly reason: Reason | null
  /** Looks in a row that say otherwise, and when the first of them was. */
  readonly doubts: number
  readonly doubtsSince: number | null
}

export interface Thresholds {
  readonly bad: number
  readonly good: number
}

export const defaultThresholds: Thresholds = { bad: 2, good: 2 }

/** Also when nobody watches any more: what began to show then has to show again. */
export const unknownVerdict: Verdict = {
  state: 'unknown',
  since: null,
  reason: null,
  doubts: 0,
  doubtsSince: null,
}

/** The verdict after one more look. Without an earlier verdict a good look is enough: there is nothing that it could flap from. */
export function judge(verdict: Verdict, { at, reason }: Look, thresholds = defaultThresholds): Verdict {
  const seen = reason === null ? 'good' : 'bad'
  if (seen === verdict.state) return { ...verdict, reason, doubts: 0, doubtsSince: null }
  const doubts = doubtsFor(verdict, seen) + 1
  const doubtsSince = doubts === 1 ? at : verdict.doubtsSince
  const needed = verdict.state === 'unknown' && seen === 'good' ? 1 : thresholds[seen]
  if (doubts >= needed) return { state: seen, since: doubtsSince, reason, doubts: 0, doubtsSince: null }
  return { ...verdict, doubts, doubtsSince }
}

/** While unknown, a good look ends the doubts at once: what is counted there is bad. */
const doubtsFor = ({ state, doubts }: Verdict, seen: 'good' | 'bad'): number =>
  state === 'unknown' && seen === 'good' ? 0 : doubts
