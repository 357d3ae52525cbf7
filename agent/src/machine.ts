/** What every run on this machine works with. */
import type { Runtime as RuntimeName } from '@quarterdeck/contract'
import type { Clock } from '@quarterdeck/kit'
import type { Logger } from 'pino'
import type { Custody } from './custody.ts'
import type { Runtime } from './runtimes/runtime.ts'
import type { UnitEngine } from './units/unit-engine.ts'
import type { VerifyTiming } from './verify.ts'

export interface Machine {
  readonly name: string
  /** Projects lie below it. */
  readonly home: string
  /** The agent's own: journals, units, caches. */
  readonly agentHome: string
  /** Of the agent; what programs get of it is chosen where they are made. */
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly log: Logger
  readonly units: UnitEngine
  readonly runtimes: Partial<Record<RuntimeName, Runtime>>
  readonly timing: VerifyTiming
  readonly custody: Custody
  /** Under which services are verified: not loopback. */
  address(): string
  readonly limits: MachineLimits
}

export interface MachineLimits {
  /** What must be free before an environment is built. */
  readonly freeBytes: number
  /** What the releases of one project may take, beyond those that are always kept. */
  readonly releaseBytes: number
  readonly keepVerified: number
  readonly keepDays: number
}

export const machineLimits: MachineLimits = {
  freeBytes: 256 * 1024 * 1024,
  releaseBytes: 2 * 1024 * 1024 * 1024,
  keepVerified: 5,
  keepDays: 14,
}
