/** Every clause, in the order in which they are checked. */
import { type Clause, notChecked } from '../clause.ts'
import { countingClauses } from './counting.ts'
import { errorClauses } from './errors.ts'
import { healthClauses } from './health.ts'
import { metricsClauses } from './metrics.ts'
import { openMetricsClauses } from './open-metrics.ts'
import { reachClauses } from './reach.ts'
import { readinessClauses } from './readiness.ts'
import { type ExpectedVersion, versionClauses } from './version.ts'

interface Choice extends ExpectedVersion {
  metrics?: boolean | undefined
  addresses?: readonly string[]
}

export const clausesFor = ({ name, sha, metrics, addresses }: Choice): Clause[] => [
  ...reachClauses(addresses),
  ...healthClauses,
  ...readinessClauses,
  ...versionClauses({ name, sha }),
  ...errorClauses,
  ...[...metricsClauses(metrics === true), ...countingClauses, ...openMetricsClauses].map(clause =>
    metrics === false ? { ...clause, check: async () => notChecked('not asked for') } : clause,
  ),
]
