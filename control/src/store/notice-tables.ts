/** Tables of what people write on the status page. */

export interface NoticeTables {
  incident: IncidentTable
  incident_update: IncidentUpdateTable
  incident_template: IncidentTemplateTable
  maintenance: MaintenanceTable
  maintenance_update: MaintenanceUpdateTable
}

export interface IncidentTable {
  id: string
  name: string
  status: string
  impact: string
  /** JSON list. */
  service_ids: string
  draft: number
  /** What has opened it; one that is open is there once. */
  source: string | null
  started_at: string
  ended_at: string | null
  created_at: string
  updated_at: string
}

export interface IncidentUpdateTable {
  id: string
  incident: string
  status: string
  body: string
  created_at: string
}

export interface IncidentTemplateTable {
  name: string
  /** JSON: what it gives. */
  settings: string
  updated_at: string
}

export interface MaintenanceTable {
  id: string
  name: string
  impact: string
  /** JSON list. */
  service_ids: string
  /** Of its first window. */
  starts_at: string
  ends_at: string
  repeat: string | null
  repeat_until: string | null
  cancelled_at: string | null
  created_at: string
  updated_at: string
}

export interface MaintenanceUpdateTable {
  id: string
  maintenance: string
  /** The start of the window that it is about; null: of all. */
  window_at: string | null
  /** Null: it says nothing about that. */
  status: string | null
  body: string
  created_at: string
}
