/** Alerts, and one of them by its id, whole or shortened. */
import { type Alert, operations } from '@quarterdeck/contract'
import type { Api } from '../api.ts'
import { isWholeId, pickById } from '../ids.ts'
import { itemsOf } from '../pages.ts'

const most = 1000

export const alertsOf = (api: Api, state: 'open' | 'all'): Promise<Alert[]> =>
  itemsOf(query => api.call(operations.listAlerts, { query: { ...query, state } }), most)

export async function findAlertId(api: Api, text: string): Promise<string> {
  if (isWholeId(text)) return text.toLowerCase()
  return pickById(text, await alertsOf(api, 'all'), 'qd alert list').id
}
