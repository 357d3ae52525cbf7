/** What others see of a unit of systemd's. */
import type { UnitState } from '@quarterdeck/contract'
import type { SystemdLife } from './systemd-life.ts'
import type { KnownUnit } from './unit-engine.ts'

/** Undefined: never started here, or removed. */
export function systemdKnownUnit(unit: SystemdLife): KnownUnit | undefined {
  const { record, instance, facts } = unit.kept
  if (!record) return undefined
  const { project, process: name, attempt, wanted, settled } = record
  const later = facts.since !== null && facts.since > record.since ? facts.since : record.since
  return {
    name,
    state: stateOf(unit),
    pid: instance?.pid ?? null,
    instance: instance?.id ?? null,
    since: instance ? (facts.since ?? record.since) : later,
    restarts: facts.restarts,
    project,
    attempt,
    wanted,
    settled,
  }
}

/** Also while systemd waits before it starts it again: what does not run and should has failed. */
function stateOf({ kept, isRestarting }: SystemdLife): UnitState {
  const { wanted, timer } = kept.known
  if (kept.instance) return 'running'
  if (wanted === 'down' || isRestarting) return 'stopped'
  if (timer) return kept.facts.activeState === 'failed' ? 'failed' : 'waiting'
  return 'failed'
}
