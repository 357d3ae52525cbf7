/** What the keeping of alerts needs, from the configuration and from the rest of control. */
import type { Transaction } from '#store'
import type { Outage } from '#watch'
import type { AlertOptions } from './options.ts'
import { type AlertTiming, usualTiming } from './problem-state.ts'

export interface AlertSettings {
  readonly timing: AlertTiming
  /** Alerts with the same values of these labels are one problem. */
  readonly groupBy: readonly string[]
  /** How long an alert counts that was reported without an end. */
  readonly leaseMs: number
  /** Whether ServiceDown, too, is kept quiet while what it depends on is down. */
  readonly inhibitServiceDown: boolean
}

export const settingsOf = (options: AlertOptions): AlertSettings => ({
  timing: { ...usualTiming, bundleMs: options.bundle_s * 1000, repeatMs: options.repeat_s * 1000 },
  groupBy: options.group_by,
  leaseMs: options.lease_s * 1000,
  inhibitServiceDown: options.inhibit_service_down,
})

/** What is known of a service, for whoever reads a message. */
export interface ServiceContext {
  readonly group: string | null
  readonly runbook: string | null
  /** On the status page. */
  readonly page: string | null
  /** What was last brought into service. */
  readonly deploy: {
    readonly sha: string
    readonly by: string
    readonly at: string
    readonly runId: string
  } | null
}

/** What others know. Each is asked inside a transaction, and waits for nothing but the database. */
export interface Surroundings {
  /** The services that it cannot do without. */
  dependsOn(transaction: Transaction, service: string): Promise<readonly string[]>
  /** Whether downtime of it is announced for this moment. */
  inMaintenance(transaction: Transaction, service: string, at: Date): Promise<boolean>
  /** Undefined: there is no such service. */
  context(transaction: Transaction, service: string): Promise<ServiceContext | undefined>
  /** Undefined: it was not seen down then. */
  outageAt(transaction: Transaction, service: string, at: Date): Promise<Outage | undefined>
}
