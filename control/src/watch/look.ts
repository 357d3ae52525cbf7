/** One look at an instance of a service: what was asked, and what the answers say. */
import {
  type Build,
  type Checked,
  type CheckedVersion,
  checkHealth,
  checkMetrics,
  checkVersion,
} from './checks.ts'
import type { Seen } from './probe-connection.ts'
import type { Reason } from './verdict.ts'

/** Null: it was not asked, or nothing can be told. */
export interface Look {
  /** Seconds since 1970. */
  readonly at: number
  readonly live: Checked
  readonly version: CheckedVersion | null
  readonly metrics: Checked | null
  readonly ready: Checked | null
  /** Why what came behind in the look was not answered. */
  readonly cutOff: Reason | null
}

/** The paths of an API of the environment. */
export interface ApiPaths {
  readonly health: string
  readonly version: string
  readonly metrics: string | null
  readonly ready: string
}

/** `base` is where it begins: empty, or a path without a slash at its end. */
export const apiPaths = (base: string, metrics: string | null): ApiPaths => ({
  health: `${base}/healthz`,
  version: `${base}/version`,
  metrics: metrics === null ? null : `${base}${metrics}`,
  ready: `${base}/readyz`,
})

/**
 * In the order that they are asked in. Readiness comes last: it asks others, who may hang, and nothing has to wait behind it.
 */
export const inOrder = ({ health, version, metrics, ready }: ApiPaths): string[] =>
  metrics === null ? [health, version, ready] : [health, version, metrics, ready]

/** From what was seen of the paths, in their order; less than all of them when one was not answered. */
export function lookAtApi(at: number, paths: ApiPaths, seen: readonly Seen[], expected: Build): Look {
  const of = (path: string | null): Seen | undefined =>
    path === null ? undefined : seen[inOrder(paths).indexOf(path)]
  const [version, metrics, ready] = [of(paths.version), of(paths.metrics), of(paths.ready)]
  const live = checkHealth(paths.health, of(paths.health) ?? unanswered)
  const last = seen.at(-1)
  return {
    at,
    live,
    version: version ? checkVersion(paths.version, version, expected) : null,
    metrics: metrics ? checkMetrics(paths.metrics!, metrics) : null,
    ready: ready ? checkHealth(paths.ready, ready) : null,
    cutOff: seen.length > 1 && last && 'failure' in last ? last.failure : null,
  }
}

const unanswered: Seen = { failure: { code: 'connect', message: 'It was not asked.' } }
