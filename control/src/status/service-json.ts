/** /services/{id}.json: the service's entry and its last 90 days. */
import { historyDays, type ServiceHistory } from '@quarterdeck/contract'
import { Published } from '#http'
import { isoOf, serviceEntry } from './service-entry.ts'
import { type StatusOptions, statusHeaders } from './status-json.ts'

/** Undefined: there is no such service. */
export function serviceJson(
  id: string,
  timeZone: string,
  { watch, history, clock, page }: StatusOptions,
): Published | undefined {
  const state = watch.service(id)
  if (!state) return undefined
  const now = Math.floor(clock.now().getTime() / 1000)
  const document: ServiceHistory = {
    schema: 1,
    generated_at: isoOf(now),
    time_zone: timeZone,
    ...serviceEntry(state, { history, url: page.url, now }),
    history: history.days(id, now, timeZone, historyDays),
  }
  return new Published(`${JSON.stringify(document)}\n`, statusHeaders)
}
