/** Incidents as they are stored. */
import type { Impact, Incident, IncidentEntry, IncidentStatus } from '@quarterdeck/contract'
import type { Tables, Transaction } from '#store'

export type IncidentRow = Tables['incident']
type UpdateRow = Tables['incident_update']

/** With their updates, in the order of the rows. */
export async function entriesOf(
  transaction: Transaction,
  rows: readonly IncidentRow[],
): Promise<IncidentEntry[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const updates = await transaction
    .selectFrom('incident_update')
    .selectAll()
    .where('incident', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  const byIncident = Map.groupBy(updates, ({ incident }) => incident)
  return rows.map(row => entryOf(row, byIncident.get(row.id) ?? []))
}

function entryOf(row: IncidentRow, updates: readonly UpdateRow[]): IncidentEntry {
  const { id, name, source, started_at, ended_at, created_at, updated_at } = row
  return {
    ...{ id, name, status: row.status as IncidentStatus, impact: row.impact as Impact },
    ...{ started_at, ends_at: ended_at, service_ids: JSON.parse(row.service_ids) as string[] },
    updates: updates.map(update => ({
      ...{ id: update.id, status: update.status as IncidentStatus },
      ...{ body: update.body, created_at: update.created_at },
    })),
    ...{ draft: row.draft === 1, source, created_at, updated_at },
  }
}

/** As everybody sees it. */
export const publicOf = ({ draft, source, created_at, updated_at, ...incident }: IncidentEntry): Incident =>
  incident
