/** What is watched, and what was seen of it. Times of what was seen are seconds since 1970. */
export interface WatchTables {
  service: ServiceTable
  service_change: ServiceChangeTable
  service_period: ServicePeriodTable
  observation_gap: ObservationGapTable
  observation: ObservationTable
  metrics_state: MetricsStateTable
}

/** A service that is watched only. */
interface ServiceTable {
  id: string
  /** JSON: everything that it is watched with, but what is sent along. */
  settings: string
  /** JSON list. */
  header_names: string
  /** Sealed: JSON, what is sent with every request; null: nothing. */
  headers: string | null
  created_at: string
  updated_at: string
}

/** What a service is from `at` on, until its next row. */
interface ServiceChangeTable {
  service: string
  at: number
  kind: string
  status: string
  reason_code: string | null
  reason_message: string | null
  /** How many changes this row stands for. */
  changes: number
  /** Of several changes: up to then it was each kind for so many seconds, without the gaps in observation. */
  mixed_until: number | null
  up_s: number
  degraded_s: number
  down_s: number
  maintenance_s: number
}

/** What was seen of a service in five minutes, an hour or a day. */
interface ServicePeriodTable {
  service: string
  period_s: number
  /** Counts round: a new period takes the place of the oldest. */
  slot: number
  at: number
  looks: number
  /** Counts in logarithmic buckets, such as `41:3 42:10`. */
  latency: string
  /** By how much its own counter grew. */
  requests: number | null
  /** In how many seconds. */
  observed_s: number
  /** As `latency`, from its own histogram. */
  request_latency: string | null
  /** The last, and the most. */
  memory_bytes: number | null
  memory_max_bytes: number | null
}

/** When nobody watched. */
interface ObservationGapTable {
  started_at: number
  ended_at: number
}

/** When control first watched, and up to when. One row. */
interface ObservationTable {
  name: string
  since: number
  seen_until: number
}

/** What the embedded metrics engine has to know again after a restart. */
interface MetricsStateTable {
  name: string
  /** JSON. */
  state: string
  updated_at: string
}
