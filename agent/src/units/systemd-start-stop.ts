/** Starting and stopping a unit of systemd's, whoever made it. */
import { killUnit, resetFailed, startUnits, stopUnits } from '../commands/systemctl.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import type { UnitFacts } from './systemd-facts.ts'
import { hasRun, systemdFault } from './systemd-fault.ts'
import type { SystemdRecord } from './systemd-record.ts'

export interface Starting {
  /** Such as `hello/web`. */
  readonly title: string
  readonly service: string
  /** What systemd said of the service last. */
  readonly before: UnitFacts
  readonly program: SystemdRecord['program']
}

/** In their order; throws `restart_failed` for one that could not be. One that has run and ended was started. */
export async function startInOrder(
  calls: SystemdCalls,
  units: readonly string[],
  { title, service, before, program }: Starting,
  signal?: AbortSignal,
): Promise<void> {
  for (const unit of units) {
    const facts = await tryStart(calls, unit, { isService: unit === service, before }, signal)
    if (facts && !hasRun(facts, before)) throw systemdFault(title, unit, program, facts)
  }
}

/** Undefined: it is started. That it ended too often before (start limit) is no reason not to try. */
async function tryStart(
  calls: SystemdCalls,
  unit: string,
  { isService, before }: { isService: boolean; before: UnitFacts },
  signal?: AbortSignal,
): Promise<UnitFacts | undefined> {
  if ((await calls.call(startUnits([unit]), signal)).code === 0) return undefined
  const facts = await calls.factsOf(unit)
  const wasTried = isService && facts.invocation !== before.invocation
  if (wasTried) return facts
  await calls.call(resetFailed([unit]))
  const { code } = await calls.call(startUnits([unit]), signal)
  return code === 0 ? undefined : calls.factsOf(unit)
}

/** The first is the service; what could start it again goes before it. systemd has a limit of its own, which may be longer. */
export async function stopWithin(
  calls: SystemdCalls,
  service: string,
  others: readonly string[],
  limitMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const kill = setTimeout(() => {
    void calls.call(killUnit(service)).catch(() => undefined)
  }, limitMs)
  try {
    await calls.call(stopUnits([...others, service]), signal)
  } finally {
    clearTimeout(kill)
  }
}
