/** A watched service as it is stored: settings as JSON, what is sent with its requests sealed. */
import { type ServiceEntry, type WatchedSettings, watchedSettings } from '@quarterdeck/contract'
import type { Tables, Transaction } from '#store'

export type ServiceRow = Tables['service']

export const rowOf = (transaction: Transaction, id: string): Promise<ServiceRow | undefined> =>
  transaction.selectFrom('service').selectAll().where('id', '=', id).executeTakeFirst()

/** By id, from behind `after`. */
export function rowsAfter(
  transaction: Transaction,
  { limit, after = '' }: { limit?: number; after?: string | undefined } = {},
): Promise<ServiceRow[]> {
  const query = transaction.selectFrom('service').selectAll().where('id', '>', after).orderBy('id')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

/** Read through the schema, so that a setting that came later has its default in services from before it. */
export const settingsIn = ({ settings }: ServiceRow): WatchedSettings =>
  watchedSettings.parse(JSON.parse(settings))

export const headerNamesIn = ({ header_names }: ServiceRow): string[] => JSON.parse(header_names) as string[]

export function entryOf(row: ServiceRow): ServiceEntry {
  const { name, group, description, url, depends_on, runbook, ...how } = settingsIn(row)
  return {
    ...{ id: row.id, kind: 'watched', name, group, description, url, depends_on, runbook },
    watched: {
      ...how,
      header_names: headerNamesIn(row),
      created_at: row.created_at,
      updated_at: row.updated_at,
    },
  }
}
