/** Every table. Times are RFC 3339 text, in what is watched seconds since 1970; booleans 0 or 1, JSON text. */
import type { AlertTables } from './alert-tables.ts'
import type { NoticeTables } from './notice-tables.ts'
import type { ProjectTables } from './project-tables.ts'
import type { WatchTables } from './watch-tables.ts'

export interface Tables extends ProjectTables, WatchTables, AlertTables, NoticeTables {
  migration: MigrationTable
  event: EventTable
  event_reader: EventReaderTable
  audit_entry: AuditEntryTable
  token: TokenTable
  idempotency_key: IdempotencyKeyTable
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

interface EventTable {
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

interface EventReaderTable {
  name: string
  /** Of the last event it has dealt with. */
  position: number
}

interface AuditEntryTable {
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

interface TokenTable {
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

interface IdempotencyKeyTable {
  /** Whose key it is: the id of the caller's token. */
  caller: string
  key: string
  /** HMAC-SHA256 of method, path and body, with the caller's own token. */
  request_hash: string
  /** The reply, sealed with the caller's own token: it may hold a secret that is shown once. */
  reply: string
  created_at: string
}
