/** The two services: enabled, running, and started after the last change of what they are made from. */
import { systemClock } from '@quarterdeck/kit'
import { agentUnit, controlUnit, places } from './places.ts'
import { must, run } from './run.ts'
import type { Act, Step } from './step.ts'
import { unitPath } from './unit-step.ts'
import { statOf } from './whole-file.ts'

/** `units` are the steps that write the unit files: what is not written yet is not running either. */
export const serviceSteps = (units: { control: Step; agent: Step }): Step[] => [
  serviceStep(controlUnit, units.control, [unitPath(controlUnit), places.config]),
  serviceStep(agentUnit, units.agent, [unitPath(agentUnit)]),
]

function serviceStep(unit: string, file: Step, madeFrom: readonly string[]): Step {
  return {
    what: `enable and start ${unit}`,
    isDone: () => file.isDone() && isEnabled(unit) && isFresh(unit, madeFrom),
    do() {
      must('systemctl', 'daemon-reload')
      must('systemctl', 'enable', '--quiet', '--', unit)
      must('systemctl', 'restart', '--', unit)
    },
    undo: stopping(unit),
  }
}

export const stopping = (unit: string): Act => ({
  what: `stop and disable ${unit}`,
  isDone: () => !isEnabled(unit) && ['inactive', 'failed'].includes(serviceState(unit).active),
  do() {
    must('systemctl', 'stop', '--', unit)
    // Of one that is linked to by nothing it says so, and fails.
    run('systemctl', 'disable', '--quiet', '--', unit)
  },
})

export interface ServiceState {
  active: string
  needsReload: boolean
  /** By itself, since it was last started by someone. */
  restarts: number
  startedAtMs: number
}

export function serviceState(unit: string): ServiceState {
  const names = 'ActiveState,NeedDaemonReload,NRestarts,ExecMainStartTimestampMonotonic'
  const shown = must('systemctl', 'show', `--property=${names}`, '--', unit)
  const values = Object.fromEntries(shown.split('\n').map(line => line.split('=', 2)))
  return {
    active: values.ActiveState ?? '',
    needsReload: values.NeedDaemonReload === 'yes',
    restarts: Number(values.NRestarts ?? 0),
    startedAtMs: wallTimeMs(Number(values.ExecMainStartTimestampMonotonic ?? 0)),
  }
}

const isEnabled = (unit: string) => run('systemctl', 'is-enabled', '--quiet', '--', unit).code === 0

function isFresh(unit: string, madeFrom: readonly string[]): boolean {
  const { active, needsReload, startedAtMs } = serviceState(unit)
  const newestMs = Math.max(...madeFrom.map(path => statOf(path)?.mtimeMs ?? Number.POSITIVE_INFINITY))
  return active === 'active' && !needsReload && newestMs <= startedAtMs
}

/** systemd's other times are written for people; Node's high-resolution time is of the same clock as this one. */
function wallTimeMs(monotonicUs: number): number {
  const sinceMs = Number(process.hrtime.bigint() / 1_000_000n) - monotonicUs / 1000
  return systemClock.now().getTime() - sinceMs
}
