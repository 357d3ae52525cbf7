/** The tables around alerts: problems, alerts, silences, channels and what is sent to them. */

export interface AlertTables {
  problem: ProblemTable
  alert: AlertTable
  channel: ChannelTable
  delivery: DeliveryTable
  silence: SilenceTable
  heartbeat: HeartbeatTable
}

/** Alerts that belong together: one message in each channel. */
interface ProblemTable {
  id: string
  /** Hash of the labels that its alerts have in common by the grouping. */
  group_key: string
  /** JSON. */
  group_labels: string
  /** open, resolved */
  state: string
  /** The worst of its open alerts. */
  severity: string
  service: string | null
  opened_at: string
  ended_at: string | null
  /** Counts what a message would show differently. */
  version: number
  /** What is to be told aloud at the next look. */
  telling: string | null
  /** When that is told. */
  tell_at: string | null
  /** When something was last told aloud; null: nobody has heard of it yet. */
  told_at: string | null
  /** The worst that was told of. */
  told_severity: string | null
  /** When to look at it again. */
  due_at: string | null
  /** Why nothing is told of it now. */
  muted: string | null
}

interface AlertTable {
  id: string
  /** Hash of the labels. */
  fingerprint: string
  /** The fingerprint while it is open: there is one at a time. */
  open_key: string | null
  problem_id: string
  /** firing, source_lost, resolved */
  state: string
  severity: string
  /** 0 is the worst. */
  severity_rank: number
  /** What it is about, as services are named. */
  service: string | null
  /** JSON. */
  labels: string
  /** JSON. */
  annotations: string
  source: string
  generator_url: string | null
  starts_at: string
  /** Null: its source tells the end for certain. */
  lease_until: string | null
  ended_at: string | null
  acknowledged_at: string | null
  acknowledged_by: string | null
}

interface ChannelTable {
  id: string
  name: string
  kind: string
  /** JSON. */
  routes: string
  /** JSON: everything but the secrets. */
  settings: string
  /** Sealed: JSON of the secrets. */
  secret: string | null
  created_at: string
  updated_at: string
  last_sent_at: string | null
  /** Why the last message could not be sent. */
  problem: string | null
  failing_since: string | null
  tries: number
  /** Nothing is sent before. */
  paused_until: string | null
  /** Until then somebody is sending. */
  leased_until: string | null
  /** Of the last update of a chat that was dealt with. */
  update_id: number | null
}

/** The message of a problem in a channel: what of it is there, and what is still to be sent. */
interface DeliveryTable {
  problem_id: string
  channel_id: string
  /** JSON list: as the service names its parts. */
  message_ids: string
  /** The version of the problem that the message shows. */
  shown_version: number
  /** What is still to be told aloud. */
  telling: string | null
  /** Null: there is nothing to do. */
  due_at: string | null
  sent_at: string | null
  /** Why it was given up. */
  problem: string | null
}

interface SilenceTable {
  id: string
  /** JSON list, as Alertmanager writes them. */
  matchers: string
  starts_at: string
  ends_at: string
  comment: string
  created_by: string
  created_at: string
}

/** A sign of life that is expected. */
interface HeartbeatTable {
  name: string
  every_s: number
  grace_s: number
  severity: string
  last_at: string | null
  due_at: string
  missing: number
  created_at: string
}
