/** A service as it is watched: who it is for people, and where its instances are found. */
import type { Build } from './checks.ts'
import type { Condition } from './condition.ts'
import type { ApiPaths } from './look.ts'
import type { Server } from './probe-connection.ts'

export interface WatchedService {
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
  readonly instances: readonly WatchedInstance[]
}

export type WatchedInstance = {
  /** Stable: its times of the day come from it. */
  readonly id: string
  /** Null: it is on none of ours. */
  readonly machine: string | null
} & (ApiInstance | ToldInstance)

/** Answers the endpoints of an API of the environment. */
export interface ApiInstance {
  readonly kind: 'api'
  readonly server: Server
  readonly paths: ApiPaths
  readonly expected: Build
}

/** Listens nowhere: the agent tells how its units are. */
export interface ToldInstance {
  readonly kind: 'told'
  readonly condition: Condition
}

export const instanceId = (service: string, machine: string) => `${service}@${machine}`
