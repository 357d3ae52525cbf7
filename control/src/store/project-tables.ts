/** Projects: what is deployed where, by which runs, with which variables and from which repository. */
export interface ProjectTables {
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
}

interface ProjectTable {
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
interface InstanceTable {
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

interface RunTable {
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

interface RunLogTable {
  run_id: string
  seq: number
  at: string
  step: string | null
  text: string
}

/** How a project and its forge are connected. */
interface ForgeTable {
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
interface HookDeliveryTable {
  project: string
  /** As the forge names it. It is not signed, so one that is sent again may bear another. */
  delivery: string
  /** HMAC-SHA256 of the body, hexadecimal. */
  signature: string
  run_id: string
  created_at: string
}

/** What a forge is told of a commit, and whether it was. */
interface CommitStatusTable {
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
interface VariableTable {
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
interface VariableRevisionTable {
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
interface RepositoryAccessTable {
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
