/** One clause of the contract of a service, as far as it can be seen from outside. */
import type { Probe } from './probe.ts'

export interface Clause {
  /** Endpoint and what of it, such as `health.body`: stays as it is from version to version. */
  readonly id: string
  /** What must hold. */
  readonly title: string
  check(probe: Probe): Promise<Finding>
}

export interface Finding {
  /** Null where it could not, or need not, be checked. */
  ok: boolean | null
  /** What was seen, or why nothing was looked at. */
  found: string
  /** What to do about a breach. */
  remedy: string | null
}

export const holds = (found: string): Finding => ({ ok: true, found, remedy: null })

export const breach = (found: string, remedy: string): Finding => ({ ok: false, found, remedy })

export const notChecked = (found: string): Finding => ({ ok: null, found, remedy: null })
