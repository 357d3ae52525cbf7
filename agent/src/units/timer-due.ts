/** When a timer is due. Only ever asked about the past, so that clock jumps and absences need no special case. */
import type { Timer } from '@quarterdeck/contract'

const dayMs = 86_400_000

/**
 * The last time that it was due after `fromMs` and until now; undefined: not yet. However many times were missed, there is
 * one answer, so that it runs once.
 */
export function lastDue(timer: Timer, fromMs: number, nowMs: number): number | undefined {
  const periodMs = periodOf(timer)
  // The clock was put back far, and would else keep the timer waiting until it has caught up.
  const startMs = fromMs - nowMs > periodMs ? nowMs - periodMs : fromMs
  const dueMs = 'at' in timer ? lastTimeOfDay(timer.at, nowMs) : lastStep(startMs, periodMs, nowMs)
  return dueMs > startMs ? dueMs : undefined
}

function periodOf(timer: Timer): number {
  return 'at' in timer ? dayMs : timer.every_s * 1000
}

/** UTC has no summer time: each of its days is as long. */
function lastTimeOfDay(at: string, nowMs: number): number {
  const todayMs = Date.parse(`${new Date(nowMs).toISOString().slice(0, 10)}T${at}:00Z`)
  return todayMs <= nowMs ? todayMs : todayMs - dayMs
}

function lastStep(startMs: number, periodMs: number, nowMs: number): number {
  return startMs + Math.floor((nowMs - startMs) / periodMs) * periodMs
}
