/** An alert: one result of an alerting rule, from the moment that its expression holds. */
import { type Labels, labelsOf } from './labels.ts'
import type { StoredAlert } from './rule-state.ts'

export interface Alert {
  readonly labels: Labels
  annotations: Readonly<Record<string, string>>
  value: number
  /** A resolved one is kept for a while, so that whoever tells people hears of it. */
  state: 'pending' | 'firing' | 'resolved'
  /** Since when the expression has held. */
  readonly activeAtMs: number
  firedAtMs: number | null
  resolvedAtMs: number | null
  /** Since when only keep_firing_for has kept it firing. */
  keepFiringSinceMs: number | null
  /** After a restart: until then that no series shows it means nothing, since there were not yet scrapes enough. */
  heldUntilMs: number
}

export const beginAlert = (
  found: Pick<Alert, 'labels' | 'annotations' | 'value'>,
  activeAtMs: number,
): Alert => ({
  ...found,
  state: 'pending',
  activeAtMs,
  firedAtMs: null,
  resolvedAtMs: null,
  keepFiringSinceMs: null,
  heldUntilMs: -Infinity,
})

export const storedAlert = (alert: Alert): StoredAlert => ({
  labels: alert.labels.record(),
  annotations: { ...alert.annotations },
  value: String(alert.value),
  state: alert.state === 'pending' ? 'pending' : 'firing',
  activeAtMs: alert.activeAtMs,
  firedAtMs: alert.firedAtMs,
  keepFiringSinceMs: alert.keepFiringSinceMs,
})

export const restoredAlert = (stored: StoredAlert, heldUntilMs: number): Alert => ({
  ...stored,
  labels: labelsOf(stored.labels),
  value: Number(stored.value),
  resolvedAtMs: null,
  heldUntilMs,
})

/** By a clock that was set by so much. */
export const movedAlert = (alert: Alert, ms: number): Alert => ({
  ...alert,
  activeAtMs: alert.activeAtMs + ms,
  firedAtMs: plus(alert.firedAtMs, ms),
  resolvedAtMs: plus(alert.resolvedAtMs, ms),
  keepFiringSinceMs: plus(alert.keepFiringSinceMs, ms),
  heldUntilMs: alert.heldUntilMs + ms,
})

const plus = (atMs: number | null, ms: number): number | null => (atMs === null ? null : atMs + ms)
