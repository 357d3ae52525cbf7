/** A unit's record, from what starts it and to what others see of it. */
import type { UnitState } from '@quarterdeck/contract'
import type { KnownUnit, UnitStart } from './unit-engine.ts'
import type { UnitLife } from './unit-life.ts'
import { noProcess, type UnitRecord } from './unit-record.ts'

export function newRecord({
  project,
  process,
  program,
  attempt,
  environmentFiles = [],
}: UnitStart): UnitRecord {
  const { file, args, cwd, env } = program
  return {
    project: project.name,
    process: process.name,
    timer: process.timer,
    program: { file, args: [...args], cwd, env: { ...env } },
    environment_files: [...environmentFiles],
    wanted: 'up',
    attempt,
    settled: false,
    started: false,
    ...noProcess,
    boot_id: null,
    since: null,
    restarts: 0,
    failed: false,
    timer_from: null,
  }
}

/** Undefined: never started here, or removed. */
export function knownUnit(unit: UnitLife): KnownUnit | undefined {
  const { record, isRunning } = unit.kept
  if (!record) return undefined
  const { project, process: name, attempt, wanted, settled, since, restarts } = record
  const identity = isRunning ? { pid: record.pid, instance: record.instance } : { pid: null, instance: null }
  return {
    name,
    state: stateOf(unit, record),
    ...identity,
    since,
    restarts,
    project,
    attempt,
    wanted,
    settled,
  }
}

function stateOf(unit: UnitLife, { wanted, timer, failed }: UnitRecord): UnitState {
  if (unit.kept.isRunning) return 'running'
  if (wanted === 'down' || unit.isRestarting) return 'stopped'
  if (timer) return failed ? 'failed' : 'waiting'
  return 'failed'
}
