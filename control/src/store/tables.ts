/** Every table. Times are RFC 3339 text, in what is watched seconds since 1970; booleans 0 or 1, JSON text. */
import type {
  AlertTable,
  ChannelTable,
  DeliveryTable,
  HeartbeatTable,
  ProblemTable,
  SilenceTable,
} from './alert-tables.ts'
import type { NoticeTables } from './notice-tables.ts'

export interface Tables extends NoticeTables {
  migration: MigrationTable
  event: EventTable
  event_reader: EventReaderTable
  audit_entry: AuditEntryTable
  token: TokenTable
  idempotency_key: IdempotencyKeyTable
  project: ProjectTable
  instance: InstanceTable
  run: RunTable
  run_log: RunLogTable
  forge: ForgeTable
  hook_delivery: HookDeliveryTable
  commit_status: CommitStatusTable
  variable: VariableTable
  variable_revision: VariableRevisionTable
  repository_access: RepositoryAccessTable
  service: ServiceTable
  service_change: ServiceChangeTable
  service_period: ServicePeriodTable
  observation_gap: ObservationGapTable
  observation: ObservationTable
  problem: ProblemTable
  alert: AlertTable
  channel: ChannelTable
  delivery: DeliveryTable
  silence: SilenceTable
  heartbeat: HeartbeatTable
  metrics_state: MetricsStateTable
}

/** The tables that hold data, in an order in which they can be copied. */
export const dataTables = [
  'event',
  'event_reader',
  'audit_entry',
  'token',
  'idempotency_key',
  'project',
  'instance',
  'run',
  'run_log',
  'forge',
  'hook_delivery',
  'commit_status',
  'variable',
  'variable_revision',
  'repository_access',
  'service',
  'service_change',
  'service_period',
  'observation_gap',
  'observation',
  'problem',
  'alert',
  'channel',
  'delivery',
  'silence',
  'heartbeat',
  'metrics_state',
  'incident',
  'incident_update',
  'incident_template',
  'maintenance',
  'maintenance_update',
] as const satisfies Exclude<keyof Tables, 'migration'>[]

export interface MigrationTable {
  number: number
  name: string
  /** Programs that know the migration of this number, or a later one, work with the database after this one. */
  works_from: number
  applied_at: string
}

export interface EventTable {
  position: number
  id: string
  at: string
  type: string
  subject: string
  by: string
  from: string | null
  request_id: string | null
  data: string
}

export interface EventReaderTable {
  name: string
  /** Of the last event it has dealt with. */
  position: number
}

export interface AuditEntryTable {
  id: string
  position: number
  at: string
  by: string
  from: string | null
  action: string
  subject: string
  request_id: string | null
  data: string
}

export interface TokenTable {
  id: string
  kind: string
  /** SHA-256 of the token, hexadecimal. The token itself is nowhere. */
  hash: string
  label: string
  /** Of a deploy token. */
  project: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

export interface IdempotencyKeyTable {
  /** Whose key it is: the id of the caller's token. */
  caller: string
  key: string
  /** HMAC-SHA256 of method, path and body, with the caller's own token. */
  request_hash: string
  /** The reply, sealed with the caller's own token: it may hold a secret that is shown once. */
  reply: string
  created_at: string
}

export interface ProjectTable {
  name: string
  repository: string
  /** JSON list: earlier names of the repository. */
  aliases: string
  /** JSON: everything else that a project is made with. */
  settings: string
  held: number
  held_reason: string | null
  created_at: string
  updated_at: string
  archived_at: string | null
}

/** A project on one machine, as its agent last told. */
export interface InstanceTable {
  project: string
  machine: string
  sha: string | null
  /** Another one than `sha` is drift. */
  proven_sha: string | null
  port: number | null
  /** Which its units were last started with. */
  variables: string | null
  /** JSON: what the repository itself says of how it is started. */
  in_repository: string | null
  /** JSON list. */
  units: string
  updated_at: string
}

export interface RunTable {
  /** 1, 2, 3, … in the order in which they were accepted. */
  position: number
  id: string
  project: string
  repository: string
  kind: string
  status: string
  ref: string | null
  /** The commit that `ref` stands for, whole. */
  ref_sha: string | null
  sha: string | null
  discard: number
  /** JSON list, of a forge's push: the commits since which something must have changed; null: it is done anyway. */
  changed_since: string | null
  /** The id of the token or person who asked. */
  caller: string
  idempotency_key: string | null
  request_hash: string
  trigger_by: string
  trigger_from: string | null
  created_at: string
  started_at: string | null
  ended_at: string | null
  cancel_asked: number
  machine: string | null
  /** JSON list. */
  steps: string
  /** JSON. */
  error: string | null
  restored_sha: string | null
  superseded_by: string | null
  /** Of the project's variables: the newest when it began; of what runs by it, that which it last ran with. */
  variables_revision: number | null
  /** Whose plain variables it brings back if it turns out to be a rollback; null: none that is known. */
  rollback_revision: number | null
  /** A rollback brings the secrets of then back, too. */
  with_secrets: number | null
  /** JSON: which sets its machine was told; null: without any variables. */
  variable_sets: string | null
}

export interface RunLogTable {
  run_id: string
  seq: number
  at: string
  step: string | null
  text: string
}

/** How a project and its forge are connected. */
export interface ForgeTable {
  project: string
  /** Sealed: a signature is computed with it. */
  hook_secret: string | null
  hook_created_at: string | null
  /** When a push last started a run. */
  hook_used_at: string | null
  status_kind: string | null
  status_api_url: string | null
  /** Sealed. */
  status_token: string | null
  status_created_at: string | null
  status_sent_at: string | null
  /** Why the last status could not be written. */
  status_problem: string | null
}

/** A forge's call that started a run: the same one again is that run. */
export interface HookDeliveryTable {
  project: string
  /** As the forge names it. It is not signed, so one that is sent again may bear another. */
  delivery: string
  /** HMAC-SHA256 of the body, hexadecimal. */
  signature: string
  run_id: string
  created_at: string
}

/** What a forge is told of a commit, and whether it was. */
export interface CommitStatusTable {
  project: string
  sha: string
  run_id: string
  /** A later run's word counts. */
  run_position: number
  state: string
  description: string
  /** Counts the changes, so that one that comes while another is sent is not taken for it. */
  version: number
  tries: number
  /** When to send it; null: it was sent, or given up. */
  due_at: string | null
  /** Until then somebody is sending it. */
  leased_until: string | null
  updated_at: string
}

/** A variable of a project in its revisions from `since` up to, and without, `until`. */
export interface VariableTable {
  project: string
  name: string
  since: number
  /** Null: it is one of the newest. */
  until: number | null
  secret: number
  /** Null: it is a secret. */
  value: string | null
  /** Of a secret. */
  sealed: string | null
}

/** Who changed which variables when. */
export interface VariableRevisionTable {
  project: string
  /** 1, 2, 3, … within the project. */
  revision: number
  at: string
  by: string
  /** JSON list. */
  set_names: string
  /** JSON list. */
  unset_names: string
  restored_from: number | null
  /** The rollback that brought it. */
  run_id: string | null
}

/** What a project's private repository is read with. */
export interface RepositoryAccessTable {
  project: string
  /** Of the deploy key, as OpenSSH writes it. */
  public_key: string | null
  /** Sealed: in OpenSSH's format. */
  private_key: string | null
  key_created_at: string | null
  /** As ssh names it in its list of known hosts. */
  host: string | null
  /** JSON list: the public keys by which the host is known. */
  host_keys: string | null
  pinned_at: string | null
  /** Where the token is sent. */
  token_url: string | null
  token_username: string | null
  /** Sealed. */
  token: string | null
  token_created_at: string | null
}

/** A service that is watched only. */
export interface ServiceTable {
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
export interface ServiceChangeTable {
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
export interface ServicePeriodTable {
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
export interface ObservationGapTable {
  started_at: number
  ended_at: number
}

/** When control first watched, and up to when. One row. */
export interface ObservationTable {
  name: string
  since: number
  seen_until: number
}

/** What the embedded metrics engine has to know again after a restart. */
export interface MetricsStateTable {
  name: string
  /** JSON. */
  state: string
  updated_at: string
}
