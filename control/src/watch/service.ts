/** A service as it is watched: who it is for people, and where its instances are found. */
import type { Build } from './checks.ts'
import type { Condition } from './condition.ts'
import type { ApiPaths } from './look.ts'
import type { WatchedTarget } from './look-at-url.ts'
import type { Server } from './probe-connection.ts'
import type { Reason } from './verdict.ts'

export interface MonitoredService {
  /** Also the Prometheus job. */
  readonly id: string
  readonly name: string
  readonly group: string
  readonly description: string | null
  /** Of the environment itself, of a project, or watched only. */
  readonly kind: 'own' | 'project' | 'watched'
  readonly dependsOn: readonly string[]
  readonly site: string | null
  /** Address of its runbook. */
  readonly runbook: string | null
  /** When what runs was deployed; null: not from here. */
  readonly deployedAt: string | null
  readonly instances: readonly MonitoredInstance[]
}

export type MonitoredInstance = {
  /** Stable: its times of the day come from it. */
  readonly id: string
  /** Null: it is on none of ours. */
  readonly machine: string | null
} & (ApiInstance | AddressInstance | ToldInstance)

export type ProbedInstance = Extract<MonitoredInstance, { server: Server }>

interface Probed {
  readonly server: Server
  /** Where that differs from what is usual. */
  readonly intervalMs?: number
  readonly timeoutMs?: number
}

/** Answers the endpoints of an API of the environment. */
export interface ApiInstance extends Probed {
  readonly kind: 'api'
  readonly paths: ApiPaths
  readonly expected: Build
  /** With fewer days left, its certificate is a warning. */
  readonly certificateDays?: number
  readonly known?: Known | null
}

/** What is known of an instance without asking it: with a reason it is degraded, however well it answers. */
export interface Known {
  /** Seconds since 1970. */
  readonly since: number
  /** Null: all is well since then. */
  readonly reason: Reason | null
}

/** Answers at one address, as is expected of it. */
export interface AddressInstance extends Probed {
  readonly kind: 'address'
  readonly target: WatchedTarget
}

/** Listens nowhere: somebody else tells how it is. */
export interface ToldInstance {
  readonly kind: 'told'
  readonly condition: Condition
}

export const instanceId = (service: string, machine: string) => `${service}@${machine}`
